#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""wrap_log.py KIND: the lines of stdin as a log system writes them, to stdout. `wrap_log.py --list` names the kinds, but for MORE,
which only the generated archive has."""
import html
import json
import struct
import sys


def stamp(n):
    return "2026-01-02T%02d:%02d:%02d.%03dZ" % (n // 3600000 % 24, n // 60000 % 60, n // 1000 % 60, n % 1000)


def dumps(value):
    return json.dumps(value, ensure_ascii=False)


def docker(lines):
    for n, line in enumerate(lines):
        yield dumps({"log": line + "\n", "stream": "stdout", "attrs": {"tag": "a"}, "time": stamp(n)}) + "\n"


def docker_tty(lines):
    for n, line in enumerate(lines):
        yield dumps({"log": line + "\r\n", "stream": "stdout", "time": stamp(n)}) + "\n"


def docker_pieces(lines, size=7):
    """Each line in pieces, with those of the other stream between them."""
    for n, line in enumerate(lines):
        text = line + "\n"
        for at in range(0, len(text), size):
            yield dumps({"log": text[at:at + size], "stream": "stdout", "time": stamp(n)}) + "\n"
            if n % 5 == 0:
                yield dumps({"log": "" if at else "", "stream": "stderr", "time": stamp(n)}) + "\n"


def fluentd(lines):
    for line in lines:
        yield dumps({"stream": "stdout", "log": line, "kubernetes": {"pod_name": "a", "log": "no"}}) + "\n"


def ecs(lines):
    for n, line in enumerate(lines):
        yield dumps({"@timestamp": stamp(n), "log": {"level": "INFO", "logger": "a.B"}, "message": line,
                     "process": {"thread": {"name": "worker-%d" % (n % 3)}}, "ecs": {"version": "8.11"}}) + "\n"


def ecs_dotted(lines):
    for n, line in enumerate(lines):
        yield dumps({"@timestamp": stamp(n), "log.level": "INFO", "message": line, "log.logger": "a.B",
                     "process.thread.name": "worker-%d" % (n % 3)}) + "\n"


def logstash_one(lines):
    """The whole text in one message, escapes as \\uXXXX."""
    yield json.dumps({"@timestamp": stamp(0), "level": "INFO", "message": "starting"}) + "\n"
    yield json.dumps({"@timestamp": stamp(1), "message": "\n".join(lines) + "\n", "thread_name": "main"}) + "\n"
    yield json.dumps({"@timestamp": stamp(2), "level": "INFO", "message": "stopping"}) + "\n"


def trace(lines):
    yield dumps({"message": "failed", "error": {"type": "a.B", "stack_trace": "\n".join(lines)}}) + "\n"


def gcp(lines):
    for n, line in enumerate(lines):
        entry = {"insertId": "%06d" % (n * 7919 % 1000000), "resource": {"labels": {"pod_name": "a"}}}
        entry["timestamp"] = stamp(n // 2)
        if n % 2:
            entry["jsonPayload"] = {"message": line, "level": 1}
        else:
            entry["textPayload"] = line
        yield entry


def gcp_lines(lines):
    return (dumps(entry) + "\n" for entry in gcp(lines))


def gcp_newest(lines):
    return reversed(list(gcp_lines(lines)))


def gcp_array(lines):
    yield json.dumps(list(reversed(list(gcp(lines)))), indent=2) + "\n"


def gcp_array_oldest(lines):
    yield json.dumps(list(gcp(lines)), separators=(",", ":")) + "\n"


def loki(lines):
    for n, line in reversed(list(enumerate(lines))):
        yield dumps({"labels": {"app": "a"}, "line": line, "timestamp": stamp(n)}) + "\n"


def journal(lines):
    for n, line in enumerate(lines):
        yield "__CURSOR=s=1;i=%x\n__REALTIME_TIMESTAMP=%d\n_PID=7\n" % (n, 1767323045000000 + n)
        message = line.encode()
        if n % 3 == 0 or "\t" in line:
            yield b"MESSAGE\n" + struct.pack("<Q", len(message)) + message + b"\n"
        else:
            yield "MESSAGE=" + line + "\n"
        yield b"X\n" + struct.pack("<Q", 6) + b"a\n\nb=c" + b"\n_HOSTNAME=h\n\n"


def journal_json(lines):
    for n, line in enumerate(lines):
        message = list(line.encode()) if n % 3 == 0 else line
        yield dumps({"__CURSOR": "s=1", "_PID": "7", "MESSAGE": message, "_HOSTNAME": ["a", "b"]}) + "\n"


def cri(lines):
    return (stamp(n)[:-1] + "456789Z stdout F " + line + "\n" for n, line in enumerate(lines))


def cri_pieces(lines, size=9):
    for n, line in enumerate(lines):
        for at in range(0, len(line) - size, size):
            yield stamp(n) + " stdout P " + line[at:at + size] + "\n"
        last = max(0, (len(line) - 1) // size * size)
        yield stamp(n) + " stdout F:x " + line[last:] + "\n"


def cri_of_ecs(lines):
    return cri([line.rstrip("\n") for line in ecs(lines)])


def cri_pieces_of_serilog(lines):
    return cri_pieces([dumps({"@t": stamp(n), "@m": line}) for n, line in enumerate(lines)], 80)


def pods_of_dotnet(lines):
    return ("[pod/shop-7d9f/app] " + dumps({"EventId": 0, "LogLevel": "Information", "Message": line, "State": {"Message": line}}) + "\n" for line in lines)


def datadog(lines):
    for n, line in enumerate(lines):
        yield dumps({"id": "a", "attributes": {"timestamp": stamp(n), "message": line, "tags": ["a"]}}) + "\n"


def splunk(lines):
    for n, line in enumerate(lines):
        yield dumps({"preview": False, "offset": n, "result": {"_raw": line, "_time": stamp(n)}}) + "\n"


def escaped_in_numbers(lines):
    for line in lines:
        yield "".join("&#x%x;" % ord(c) if c in "<>&\"'" else c for c in line) + "\n"


def escaped(lines):
    return (html.escape(line) + "\n" for line in lines)


def page(lines):
    yield "<!DOCTYPE html>\n<html><head><title>a &amp; b</title></head>\n<body><h1>Dump</h1><pre>"
    for line in lines:
        yield line.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&#34;") + "\n"
    yield "</pre></body></html>\n"


def page_of_breaks(lines):
    yield "<html><body>"
    for line in lines:
        yield html.escape(line).replace("\t", "&nbsp;&nbsp;&nbsp;&#x9;") + "<br/>"
    yield "</body></html>"


def rsyslog(lines):
    return ("Jan  2 03:04:%02d host app[7]: %s\n" % (n % 60, line.replace("\t", "#011"))
            for n, line in enumerate(lines))


def rsyslog_one(lines):
    yield "Jan  2 03:04:05 host app[7]: starting\n"
    yield "Jan  2 03:04:05 host app[7]: #012" + "#012".join(line.replace("\t", "#011") for line in lines) + "\n"


def docker_of_logstash(lines):
    return docker(line.rstrip("\n") for line in ecs(lines))


def docker_of_prefix(lines):
    return docker("03:04:05,%03d [worker-%d] INFO a.B - %s" % (n % 1000, n % 4, line) for n, line in enumerate(lines))


def compose_of_json(lines):
    """docker compose logs of two services, by turns."""
    for n, line in enumerate(lines):
        yield "web-1  | " + dumps({"level": "INFO", "message": line}) + "\n"
        if n % 3 == 1:
            yield "db-1   | " + dumps({"level": "INFO", "message": "checkpoint is done"}) + "\n"


def syslog_of_json(lines):
    for n, line in enumerate(lines):
        yield "Jan  2 03:04:%02d host app[7]: " % (n % 60) + dumps({"level": "INFO", "message": line}) + "\n"


def structlog(lines):
    for n, line in enumerate(lines):
        yield dumps({"event": line, "level": "info", "timestamp": stamp(n)}) + "\n"


def aws_events(lines, many=7):
    """aws logs get-log-events; events may have several lines."""
    texts = ["\n".join(lines[at:at + many]) for at in range(0, len(lines), many)]
    yield json.dumps({"events": [{"timestamp": 1767323045000 + n, "message": text, "ingestionTime": 1767323046000} for n, text in enumerate(texts)],
                      "nextForwardToken": "f/1", "nextBackwardToken": "b/1"}, indent=4) + "\n"


def aws_filtered(lines):
    """filter-log-events on one line, of a program that logs JSON"""
    yield json.dumps({"events": [{"logStreamName": "web/a", "timestamp": 1767323045000, "message": dumps({"level": "INFO", "message": line}), "eventId": "3"} for line in lines],
                      "searchedLogStreams": []})


def aws_texts(lines):
    """--query 'events[].message'"""
    yield json.dumps(list(lines), indent=4) + "\n"


def aws_text(lines, many=3):
    for at in range(0, len(lines), many):
        yield "EVENTS\t1767323046000\t%s\t%d\n" % ("\n".join(lines[at:at + many]), 1767323045000 + at)
    yield "SEARCHEDLOGSTREAMS\n"


def aws_text_filtered(lines):
    for n, line in enumerate(lines):
        yield "EVENTS\t%056d\t1767323046000\tweb/app/1\t%s\t%d\n" % (n, line, 1767323045000 + n)


def loki_range(lines):
    values = [["%d" % (1767323045000000000 + n), line] for n, line in enumerate(lines)]
    yield dumps({"status": "success", "data": {"resultType": "streams", "result": [{"stream": {"app": "a"}, "values": values[::-1]}], "stats": {"summary": {"line": 3}}}}) + "\n"


def loki_old(lines):
    yield dumps({"streams": [{"labels": "{app=\"a\"}", "entries": [{"ts": stamp(n), "line": line} for n, line in enumerate(lines)]}]}) + "\n"


def logcli(lines):
    """The newest first; a record of two lines among them."""
    records = [(n, "\n".join(lines[n:n + 2])) for n in range(0, len(lines), 2)]
    for n, text in reversed(records):
        yield "2026-01-02T03:%02d:%02dZ {app=\"a\", note=\"a } b\"} %s\n" % (n // 60 % 60, n % 60, text)


def elastic(lines):
    hits = [{"_index": "a", "_source": {"@timestamp": stamp(n), "message": line, "host": {"name": "h"}}} for n, line in enumerate(lines)]
    yield json.dumps({"took": 3, "hits": {"total": {"value": 3}, "hits": hits[::-1]}}, indent=1)


def logfmt(lines):
    for n, line in enumerate(lines):
        text = line if line and not set(line) & set(' "=\t\\') else dumps(line)
        yield 'ts=%s caller=main.go:%d level=info msg=%s thread="a b=c"\n' % (stamp(n), n, text)


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def kibana(lines):
    """The newest first, in the times of its page."""
    yield '"@timestamp","message","host.name"\r\n'
    for n, line in reversed(list(enumerate(lines))):
        yield '"Jan %d, 2026 @ 03:04:05.%03d",%s,h\r\n' % (2 + n // 1000, n % 1000, quoted(line))


def splunk_table(lines):
    """Events of several lines; columns that are not quoted."""
    yield '_serial,_time,source,_raw,linecount\n'
    for n, at in enumerate(range(0, len(lines), 5)):
        yield '%d,"2026-01-02T03:04:05.%03d+0000",a.log,%s,5\n' % (n, n, quoted("\n".join(lines[at:at + 5])))


def insights(lines):
    return ("@timestamp;@message\n" if n < 0 else "2026-01-02 03:04:05.%03d;%s\n" % (n % 1000, quoted(lines[n])) for n in range(-1, len(lines)))


def escaped_twice(lines):
    return (html.escape(html.escape(line)) + "\n" for line in lines)


KINDS = {f.__name__.replace("_", "-"): f for f in (
    docker, docker_tty, docker_pieces, fluentd, ecs, ecs_dotted, logstash_one, trace, gcp_lines, gcp_newest, gcp_array,
    gcp_array_oldest, loki, journal, journal_json, cri, cri_pieces, escaped, page, page_of_breaks, rsyslog, rsyslog_one,
    docker_of_logstash, docker_of_prefix, aws_events, aws_filtered, aws_texts, aws_text, aws_text_filtered, loki_range, loki_old, logcli, elastic,
    logfmt, kibana, splunk_table, insights, escaped_twice)}


MORE = {f.__name__.replace("_", "-"): f for f in (cri_of_ecs, cri_pieces_of_serilog, pods_of_dotnet, datadog, splunk, escaped_in_numbers, compose_of_json, syslog_of_json, structlog)}


def wrapped(kind, text):
    """The text, of type str, as bytes."""
    parts = (KINDS.get(kind) or MORE[kind])(text.split("\n")[:-1])
    return b"".join(part if isinstance(part, bytes) else part.encode() for part in parts)


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print("\n".join(KINDS))
    else:
        sys.stdout.buffer.write(wrapped(sys.argv[1], sys.stdin.read()))
