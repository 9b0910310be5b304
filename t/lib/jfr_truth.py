#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# jfr_truth: samples as lines, "event, time, thread, weight, state, frames with lines", from `jfr print --json` or from `stkcat -f ndjson --ids`.
#   jfr_truth.py jfr FILE       what jfr printed
#   jfr_truth.py stkcat FILE    what stkcat printed
#   jfr_truth.py weights EVENT  how many samples are on standard input, and what they weigh
#   jfr_truth.py spans EVENT    how many spans of the event are there, and how long they are in all
import calendar
import json
import re
import sys
import time

ALLOCATIONS = ('jdk.ObjectAllocationSample', 'jdk.ObjectAllocationInNewTLAB', 'jdk.ObjectAllocationOutsideTLAB')
STATES = {'STATE_RUNNABLE': 'runnable', 'STATE_SLEEPING': 'timed-waiting'}
EVENT_STATES = {'jdk.JavaMonitorEnter': 'blocked', 'jdk.JavaMonitorWait': 'waiting', 'jdk.ThreadPark': 'waiting', 'jdk.ThreadSleep': 'timed-waiting'}


def span_ns(text):
    hours, minutes, seconds = re.fullmatch(r'PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?', text).groups()
    whole, _, part = (seconds or '0').partition('.')
    return ((int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(whole)) * 10**9 + int((part + '0' * 9)[:9])


def time_ns(text):
    """2026-11-23T03:32:06.641765345Z, or with an offset: jfr prints the zone of the machine."""
    date, fraction, zone = re.fullmatch(r'(.{19})(?:\.(\d+))?(Z|[+-]\d\d:\d\d)', text).groups()
    seconds = calendar.timegm(time.strptime(date, '%Y-%m-%dT%H:%M:%S'))
    if zone != 'Z':
        seconds -= int(zone[0] + '1') * (int(zone[1:3]) * 3600 + int(zone[4:]) * 60)
    return seconds * 10**9 + int(((fraction or '') + '0' * 9)[:9])


def class_name(name):
    plain, hidden = (re.split(r'[+/](?=0x)', name, maxsplit=1) + [''])[:2]
    return plain.replace('/', '.') + ('/' + hidden.split('/')[0] if hidden else '')


def frame_of(frame):
    method = frame['method']
    line = frame['lineNumber']
    line = -1 if line <= 0 and frame['type'] == 'Native' else max(line, 0)
    return '%s.%s:%d' % (class_name(method['type']['name']), method['name'], line)


def jfr(path):
    with open(path) as file:
        events = json.load(file)['recording']['events']
    for event in events:
        kind, values = event['type'], event['values']
        thread = values.get('sampledThread') or values.get('eventThread') or {}
        weight = values['weight'] if kind in ALLOCATIONS else span_ns(values['duration']) if 'duration' in values else 1
        state = STATES.get(values.get('state')) or EVENT_STATES.get(kind, 'runnable')
        stack = values['stackTrace'] or {'frames': [], 'truncated': False}
        frames = [frame_of(frame) for frame in stack['frames']] + ['[truncated]:0'] * stack['truncated']
        print(kind, time_ns(values['startTime']), thread.get('javaName') or thread.get('osName'), weight, state, ';'.join(frames), sep='\t')


def stkcat(path):
    rows = {}
    for line in open(path):
        row = json.loads(line)
        rows.setdefault(row['kind'], {})[row.get('id', len(rows.get(row['kind'], {})))] = row

    def text(number):
        return rows['string'][number]['text'] if number else ''

    def frames(stack):
        while stack:
            frame = rows['frame'][rows['stack'][stack]['frame']]
            yield '%s:%d' % (text(frame['function']), frame['line'])
            stack = rows['stack'][stack]['parent']

    for row in rows['sample'].values():
        if row['dump']:
            continue
        thread = rows['thread'][row['thread']] if row['thread'] else None
        print(text(row['event']), row['time'], text(thread['name']) if thread else None, row['weight'], row['state'],
              ';'.join(frames(row['stack'])), sep='\t')


def weights(event):
    rows = [json.loads(line) for line in sys.stdin]
    samples = [row['weight'] for row in rows if row['kind'] == 'sample']
    print(event, len(samples), sum(samples))


def spans(event):
    rows = [row for row in map(json.loads, sys.stdin) if row['kind'] == 'event' and row['name'] == event]
    starts = [row['time'] for row in rows if row['happening'] == 'start']
    print(event, len(starts), sum(row['time'] for row in rows if row['happening'] == 'stop') - sum(starts))


{'jfr': jfr, 'stkcat': stkcat, 'weights': weights, 'spans': spans}[sys.argv[1]](sys.argv[2])
