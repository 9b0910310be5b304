# SPDX-License-Identifier: MIT
# strip-script.awk: leaves out the blanks and line ends that a script does not need, outside of texts and regular expressions.
{
	line = line $0 "\n"
}
END {
	n = length(line); depth = 0; mode = ""; last = ""; out = ""; word = "[A-Za-z0-9_$]"
	for (i = 1; i <= n; i++) {
		c = substr(line, i, 1)
		if (mode != "") {
			out = out c
			if (c == "\\") { i++; out = out substr(line, i, 1) }
			else if (mode == "`" && c == "$" && substr(line, i + 1, 1) == "{") { i++; out = out "{"; stack[++depth] = 0; mode = ""; last = "{" }
			else if (mode == "/" && c == "[") mode = "["
			else if (mode == "[" && c == "]") mode = "/"
			else if (c == mode) { mode = ""; last = c == "/" ? ")" : c }
			continue
		}
		if (c == "\n" && last ~ /[;{,(]/)
			continue
		if (c == " ") {
			following = substr(line, i + 1, 1)
			if ((last ~ word && following ~ word) || (last == following && last ~ /[-+]/)) out = out c
			continue
		}
		if (c == "'" || c == "\"" || c == "`") mode = c
		else if (c == "/" && (last !~ /[A-Za-z0-9_$)\]'"`]/ || out ~ /(^|[^A-Za-z0-9_$])(return|of|in|case|typeof)$/)) mode = "/"
		else if (c == "{" && depth) stack[depth]++
		else if (c == "}" && depth) { if (stack[depth] == 0) { depth--; mode = "`" } else stack[depth]-- }
		out = out c
		if (mode == "" || c != "`") last = c
	}
	printf "%s", out
}
