# SPDX-License-Identifier: MIT
# shorten-names.awk: gives the names that a stripped script without classes declares short ones, each everywhere. Only names that are nothing else: never after a dot, before a
# colon, or in braces, where they may be keys; and outside of functions none of those in the file `keep`, another script that uses this one. Texts stay as they are.
function identifier(c) { return c ~ /[A-Za-z0-9_$]/ }
# The parts of the script: word[n] with what it is, kind[n] "name", "text" or the character.
function split_words(    i, c, n, mode, depth, start, last) {
	n = length(line)
	for (i = 1; i <= n; i++) {
		c = substr(line, i, 1)
		if (mode != "") {
			word[words] = word[words] c
			if (c == "\\") { i++; word[words] = word[words] substr(line, i, 1) }
			else if (mode == "`" && c == "$" && substr(line, i + 1, 1) == "{") { i++; word[words] = word[words] "{"; open[++depth] = 0; mode = "" }
			else if (mode == "/" && c == "[") mode = "["
			else if (mode == "[" && c == "]") mode = "/"
			else if (c == mode) mode = ""
			last = c == "/" ? ")" : c
			continue
		}
		if (c ~ /[A-Za-z_$]/ && !identifier(last)) {
			for (start = i; i < n && identifier(substr(line, i + 1, 1)); i++) continue
			word[++words] = substr(line, start, i - start + 1); kind[words] = "name"
			last = substr(line, i, 1)
			continue
		}
		word[++words] = c; kind[words] = c
		if (c == "'" || c == "\"" || c == "`") { mode = c; kind[words] = "text" }
		else if (c == "/" && (last !~ /[A-Za-z0-9_$)\]'"`]/ || word[words - 1] ~ /^(return|of|in|case|typeof)$/)) { mode = "/"; kind[words] = "text" }
		else if (c == "{" && depth) open[depth]++
		else if (c == "}" && depth) { if (open[depth] == 0) { depth--; mode = "`"; kind[words] = "text" } else open[depth]-- }
		last = c
	}
}
# The part beside the nth that is no blank.
function beside(n, step) {
	for (n += step; n > 0 && n <= words && kind[n] ~ /^[ \t\n]$/; n += step) continue
	return n > 0 && n <= words ? kind[n] == "name" ? word[n] : kind[n] : ""
}
function next_short(    name) {
	do {
		name = (number < 26 ? "" : substr(letters, int(number / 26), 1)) substr(letters, number % 26 + 1, 1)
		number++
	} while (name in used || name ~ /^(do|if|in|of|as)$/)
	return name
}
{
	line = line $0 "\n"
}
END {
	letters = "abcdefghijklmnopqrstuvwxyz"
	while ((getline other < keep) > 0)
		for (; match(other, /[A-Za-z_$][A-Za-z0-9_$]*/); other = substr(other, RSTART + RLENGTH))
			kept[substr(other, RSTART, RLENGTH)]
	split_words()
	for (n = 1; n <= words; n++) {
		deep += kind[n] == "{" ? 1 : kind[n] == "}" ? -1 : 0
		if (kind[n] != "name") continue
		used[word[n]]
		before = beside(n, -1); after = beside(n, 1)
		if (before ~ /^(const|let|function)$/ || (after == "=" && kind[n + 2] != "=")) declared[word[n]]
		if (deep == 0 && (word[n] in kept)) kept_name[word[n]]
		if (before == "." || after == ":" || (before ~ /^[{,]$/ && after ~ /^[,}=]$/) || (before ~ /^[{};]$/ && after == "(")) kept_name[word[n]]
	}
	for (n = 1; n <= words; n++) {
		name = word[n]
		if (kind[n] == "name" && length(name) > 2 && (name in declared) && !(name in kept_name)) {
			if (!(name in short)) short[name] = next_short()
			name = short[name]
		}
		printf "%s", name
	}
}
