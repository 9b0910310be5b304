# SPDX-License-Identifier: MIT
# shorten-names.awk: gives the names that a stripped script declares short ones: its own, declared at depth `top` of blocks, begin with a capital, those of functions with a
# small letter, anew for each of its statements. A name is the same wherever one of these statements has it, but as a property, or as a key: {name} becomes {name:a}.
# Names that are not declared there are the browser's and stay, and so do own names that are in the file `keep`, another script that uses this one.
function identifier(c) { return c ~ /[A-Za-z0-9_$]/ }
# The parts of the script: word[n] with what it is, kind[n] "name", "text", "blank" or the character.
function add(text, what) { word[++words] = text; kind[words] = what }
function split_words(    i, c, n, mode, depth, start, last, open) {
	n = length(line)
	for (i = 1; i <= n; i++) {
		c = substr(line, i, 1)
		if (mode != "") {
			word[words] = word[words] c
			last = c == "/" ? ")" : c
			if (c == "\\") { i++; word[words] = word[words] substr(line, i, 1) }
			else if (mode == "`" && c == "$" && substr(line, i + 1, 1) == "{") { i++; add("{", "${"); open[++depth] = 0; mode = ""; last = "{" }
			else if (mode == "/" && c == "[") mode = "["
			else if (mode == "[" && c == "]") mode = "/"
			else if (c == mode && mode != "[") mode = ""
			continue
		}
		if (c ~ /[A-Za-z_$]/ && !identifier(last)) {
			for (start = i; i < n && identifier(substr(line, i + 1, 1)); i++) continue
			add(substr(line, start, i - start + 1), "name")
			last = substr(line, i, 1)
			continue
		}
		if (c == "}" && depth && open[depth] == 0) { depth--; add(c, "$}"); add("", "text"); mode = "`"; continue }
		if (c ~ /[ \t\n]/) { add(c, "blank"); if (identifier(last)) last = c; continue }
		if (c == "/" && (last !~ /[A-Za-z0-9_$)\]'"`]/ || word[words] ~ /^(return|of|in|case|typeof)$/)) { mode = "/"; add(c, "text") }
		else add(c, c == "'" || c == "\"" || c == "`" ? "text" : c)
		if (kind[words] == "text" && mode == "") mode = c
		else if (c == "{" && depth) open[depth]++
		else if (c == "}" && depth) open[depth]--
		last = c
	}
}
# The nth part that is no blank, as text that tells texts from names.
function part(n) { return n < 1 || n > parts ? "" : kind[at[n]] == "text" ? "text" : kind[at[n]] ~ /^\$/ ? kind[at[n]] : word[at[n]] }
function is_name(n) { return n > 0 && n <= parts && kind[at[n]] == "name" }
function is_property(n) { return part(n - 1) == "." && part(n - 2) != "." }
# What a { opens.
function brace_of(n,    before) {
	before = part(n - 1)
	if (before == ")" || before ~ /^(else|try|catch|finally|do|;|}|\{|)$/ || (before == ">" && part(n - 2) == "=")) return "block"
	return before == "class" || (is_name(n - 1) && part(n - 2) ~ /^(class|extends)$/) ? "class" : "object"
}
function is_method(n) { return is_name(n - 1) && !is_property(n - 1) && (what[around[n]] == "class" || what[around[n]] == "object" && part(n - 2) ~ /^([{,*]|get|set|async)$/) }
function find_brackets(    n, p, depth, stack) {
	for (n = 1; n <= parts; n++) {
		p = part(n)
		around[n] = stack[depth]
		if (p ~ /^([]})]|\$})$/) { closing[stack[depth]] = n; around[n] = stack[--depth] }
		else if (p == "{" || p == "(" || p == "[" || p == "${") { what[n] = p == "{" ? brace_of(n) : p; stack[++depth] = n }
	}
	for (n = 1; n <= parts; n++) {		# blocks around a part, and what declares names
		deep[n] = deep[around[n]] + (what[around[n]] ~ /^(block|class)$/)
		p = part(n + 1)
		if (what[n] == "(" && (part(closing[n] + 1) part(closing[n] + 2) == "=>" || (part(closing[n] + 1) == "{" &&
			(part(n - 1) ~ /^(function|catch)$/ || part(n - 2) == "function" || is_method(n))))) pattern[n] = "parameters"
		if (part(n) ~ /^(const|let|var)$/ && !is_property(n)) declaring[around[n]] = 1
		if (part(n) == ";") declaring[around[n]] = 0
		lists[n] = declaring[around[n]] && part(n - 1) == ","
		if (what[n] ~ /^(object|\[)$/) {
			if (part(n - 1) ~ /^(const|let|var)$/ || lists[n]) pattern[n] = "names"
			else if (pattern[around[n]] != "" && part(n - 1) ~ /^[({[,:.]$/) pattern[n] = pattern[around[n]]
		}
	}
}
# "own", "inner", or "" of a name that is not declared here.
function declared_as(n,    before, after, inside) {
	before = part(n - 1); after = part(n + 1); inside = around[n]
	if (after == "=" && part(n + 2) == ">") return "inner"
	if (before ~ /^(const|let|var|function|class)$/ || (lists[n] && after ~ /^[=,;]$/)) return deep[n] == top ? "own" : "inner"
	if (pattern[inside] == "" || before !~ /^[({[,:.]$/ || after !~ /^[]}),=]$/) return ""
	return pattern[inside] == "names" && deep[n] == top ? "own" : "inner"
}
# Whether a name is a key or a method, and `shorthand`, whether it is a key and its value.
function is_key(n,    before, after) {
	before = part(n - 1); after = part(n + 1); shorthand = 0
	if (what[around[n]] == "class") return before != "=" && part(n - 1) != "["
	if (what[around[n]] != "object" || before !~ /^([{,*]|get|set|async)$/) return 0
	shorthand = before ~ /^[{,]$/ && after ~ /^[,}=]$/
	return shorthand ? 0 : after == ":" || after == "("
}
function short_of(number, letters,    name) {
	name = substr(letters, number % 26 + 1, 1)
	for (number = int(number / 26); number > 0; number = int((number - 1) / 26)) name = name substr("abcdefghijklmnopqrstuvwxyz", (number - 1) % 26 + 1, 1)
	return name
}
function next_short(letters,    name) {
	do name = short_of(number++, letters)
	while (name in stays || name ~ /^(do|if|in|of|as)$/)
	return name
}
{ line = line $0 "\n" }
END {
	while (keep != "" && (getline other < keep) > 0)
		for (; match(other, /[A-Za-z_$][A-Za-z0-9_$]*/); other = substr(other, RSTART + RLENGTH)) kept[substr(other, RSTART, RLENGTH)]
	split_words()
	for (n = 1; n <= words; n++) if (kind[n] != "blank") at[++parts] = n
	find_brackets()
	for (n = 1; n <= parts; n++) {
		if (deep[n] == top && part(n) ~ /^(const|let|function|class|async)$/ && part(n - 1) ~ /^([;{}]|)$/) statement++
		of[n] = statement
		if (!is_name(n) || is_property(n) || is_key(n) || part(n) ~ /^(of|get|set|async|static)$/) continue	# words of the language, at some places
		how[n] = "name"; keys[n] = shorthand
		as = declared_as(n)
		if (as == "own" && !(part(n) in kept)) own[part(n)]
		if (as == "inner") inner[statement, part(n)]
		times[part(n)]++
	}
	for (n = 1; n <= parts; n++) if (how[n] != "" && !(part(n) in own) && !((of[n], part(n)) in inner)) stays[part(n)]
	for (;;) {		# those that are used most are the shortest
		best = ""
		for (name in own) if (!(name in short) && (best == "" || times[name] > times[best] || (times[name] == times[best] && name < best))) best = name
		if (best == "") break
		short[best] = next_short("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	}
	for (n = 1; n <= parts; n++) {
		name = part(n)
		if (of[n] != of[n - 1]) number = 0
		if (how[n] == "") continue
		if (name in own) shorter = short[name]
		else if ((of[n], name) in inner) {
			if (!((of[n], name) in short)) short[of[n], name] = next_short("abcdefghijklmnopqrstuvwxyz")
			shorter = short[of[n], name]
		} else continue
		word[at[n]] = keys[n] && shorter != name ? name ":" shorter : shorter
	}
	for (n = 1; n <= words; n++) printf "%s", word[n]
}
