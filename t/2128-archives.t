#!/bin/sh
# SPDX-License-Identifier: MIT
# Archives and compressed files: each member is a file with its name and time; what cannot be read is said and the rest is
# kept; what expands without end is stopped.
. "${0%/*}/lib/tap.sh"

have tar xz || skip_all 'no tar or no xz'

# dump FILE CLASS SECOND: a dump with one thread, which runs a method of the class
dump() {
	printf '2026-11-10 10:00:%02d\nFull thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):\n\n' "$3" >"$1"
	printf '"w" #1 prio=5 os_prio=0 tid=0x00007f0000000001 nid=0x1 runnable  [0x00007f0000001000]\n' >>"$1"
	printf '   java.lang.Thread.State: RUNNABLE\n\tat a.%s.run(X.java:%d)\n\n' "$2" "$3" >>"$1"
}

mkdir d
for vm in 0 1; do
	for second in 0 1 2; do dump "d/vm$vm-t$second.txt" "V$vm" "$second"; done
done

# sources FILE: the last parts of their names
sources() {
	stkcat -q -f tsv --only source "$1" >rows
	awk -F"\t" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "path" || $i == "name") at = i; next } { print $at }' rows |
		sed "s#.*/##" | sort -u | tr "\n" " "
}
# agrees ARCHIVE: it has what the folder has, as a file and from a pipe
agrees() {
	status 0 stkcap -o x.stk "$1" 2>err
	grep -x "stkcap: 6 dumps, 6 samples, 6 distinct stacks, 0 lines skipped" err
	test "$(sources x.stk)" = "vm0-t*.txt vm1-t*.txt "
	stkcat -q -f folded x.stk | sort | same folded -
	cat "$1" | status 0 stkcap -q -o x.stk
	test "$(sources x.stk)" = "vm0-t*.txt vm1-t*.txt "
	stkcat -q -f folded x.stk | sort | same folded -
	stkcat -q -f text x.stk >text; grep "^6 dumps of 2 sources, 6 samples of 2 threads" text
}

stkcap -q -o d.stk d
tar cf d.tar d
stkcap -q -o x.stk d.tar 2>err || ! grep -q "built without libarchive" err || skip_all 'built without libarchive'

check 'the folder, by hand' '
	stkcat -q -f folded d.stk | sort >folded
	printf "%s\n" "w;a.V0.run 3" "w;a.V1.run 3" | same - folded
	test "$(sources d.stk)" = "vm0-t*.txt vm1-t*.txt "
'
stkcat -q -f folded d.stk | sort >folded
xz -k d.tar
gzip -k d.tar
check 'tar, plain and compressed' '
	agrees d.tar
	agrees d.tar.xz
	agrees d.tar.gz
'
check 'tar in bzip2, lz4 and zstd, where these are installed' '
	for packer in bzip2 lz4 zstd; do
		have $packer || continue
		$packer -q -c <d.tar >d.tar.packed
		agrees d.tar.packed
	done
'
for packer in 'zip -q -r d.zip d' '7z a d.7z d' 'find d | cpio -o -H newc >d.cpio' 'find d | cpio -o >d.cpio' \
	'find d | cpio -o -H odc >d.cpio'; do
	command=${packer%% *}; case $packer in *cpio*) command=cpio ;; esac
	if have $command; then
		rm -f d.cpio
		eval "$packer" >/dev/null 2>&1
		name=d.$command
		check "as made by: $packer" 'agrees "$name"'
	else
		skip "no $command" "as made by: $packer" ''
	fi
done

check 'one file compressed is the file' '
	for command in xz bzip2 lz4; do
		have $command || continue
		$command -q -c <d/vm0-t1.txt >packed
		status 0 stkcap -q -o x.stk packed
		test "$(stkcat -q -f folded x.stk)" = "w;a.V0.run 1"
	done
	cp d/vm0-t0.txt vm0-t0.txt; cp d/vm0-t2.txt vm0-t2.txt; xz -q vm0-t2.txt; ! have bzip2 || bzip2 vm0-t0.txt
	stkcap -q -o x.stk vm0-t0.txt* vm0-t2.txt.xz
	test "$(sources x.stk)" = "vm0-t*.txt "
'
check 'xz members one after another, and of nothing' '
	{ xz -c <d/vm0-t0.txt; xz -c <d/vm0-t1.txt; } >two.xz
	stkcap -q -o x.stk two.xz
	test "$(stkcat -q -f folded x.stk)" = "w;a.V0.run 2"
	: | xz -c >nothing.xz
	status 1 stkcap -o x.stk nothing.xz 2>err
	grep "^stkcap: nothing.xz: empty" err
'
check 'archives in archives, whatever they are called' '
	tar cf inner d/vm0-t0.txt; gzip -c inner >inner.gz; gzip -c inner.gz >twice
	tar cf outer twice d/vm1-t0.txt; xz -c outer >outer.bin
	stkcap -q -o x.stk outer.bin
	stkcat -q -f folded x.stk | sort >got
	printf "%s\n" "w;a.V0.run 1" "w;a.V1.run 1" | same - got
	test "$(stkcat -q -f tsv --only source x.stk | grep -c "outer.bin/twice/d/vm0-t\*.txt")" = 1
'
check 'the time of a member is that of dumps without one' '
	sed 1d d/vm0-t0.txt >late.txt; touch -d 2026-03-04T05:06:07Z late.txt; tar cf late.tar late.txt
	stkcap -q --time-from mtime -o x.stk late.tar
	stkcat -q -f text x.stk | grep 2026-03-04T05:06:07Z
'
check 'names that are not ASCII stay as they are' '
	mkdir names; cp d/vm0-t0.txt "names/dump-ä.txt"
	tar cf names.tar names; tar --format=pax -cf pax.tar names
	have zip && zip -q -r names.zip names; have 7z && 7z a names.7z names >/dev/null
	for file in names.tar pax.tar names.zip names.7z; do
		test -e $file || continue
		stkcap -q -o x.stk $file
		stkcat -q -f tsv --only source x.stk | grep "$file/names/dump-ä.txt"
	done
'
check 'hidden members and folders are left out as of folders, links are said' '
	mkdir mixed mixed/.git; cp d/vm0-t0.txt mixed; echo x >mixed/.hidden; echo x >mixed/.git/config
	ln -s vm0-t0.txt mixed/link; ln mixed/vm0-t0.txt mixed/z-hard
	tar cf mixed.tar -C mixed .
	status 1 stkcap -o x.stk mixed.tar 2>err
	test "$(stkcat -q -f folded x.stk)" = "w;a.V0.run 1"
	test "$(wc -l <err)" = 3
	grep "^stkcap: mixed.tar/link: a link to .vm0-t0.txt., which is not followed" err
	grep "a link to ./*vm0-t0.txt., which is not followed\|a link to ./*z-hard., which is not followed\|a link to .\./" err
'
check 'a member that is no dump is said, with its name, and counted; the others are kept' '
	cp -r d some; head -c 3000 /dev/zero >some/b.bin; tar cf some.tar some
	status 1 stkcap -o x.stk some.tar 2>err
	grep "^stkcap: some.tar/some/b.bin: not a known format" err
	stkcat -q -f folded x.stk | sort | same folded -
	status 1 stkcat --check x.stk 2>err
'
if have zip; then
check 'an encrypted member is said, the next one is kept' '
	(cd d && zip -q -P secret ../secret.zip vm0-t0.txt && zip -q ../secret.zip vm1-t0.txt)
	status 1 stkcap -o x.stk secret.zip 2>err
	grep "^stkcap: secret.zip/vm0-t0.txt: encrypted" err
	test "$(stkcat -q -f folded x.stk)" = "w;a.V1.run 1"
'
check 'a damaged member is said, those after it are kept; of a cut archive what is there' '
	python3 - d.zip bad.zip <<-END
		import sys, zipfile
		at = zipfile.ZipFile(sys.argv[1]).getinfo("d/vm1-t1.txt")
		data = bytearray(open(sys.argv[1], "rb").read())
		for i in range(10): data[at.header_offset + 100 + i] ^= 0xff
		open(sys.argv[2], "wb").write(data)
	END
	status 1 stkcap -o x.stk bad.zip 2>err
	grep "^stkcap: bad.zip/d/vm1-t1.txt: damaged or truncated zip data" err
	grep "^stkcap: 5 dumps, 5 samples" err
	head -c $(($(wc -c <d.zip) / 2)) d.zip >cut.zip
	status 1 stkcap -o x.stk cut.zip 2>err
	grep "damaged or truncated" err
	grep "^stkcap: [1-5] dumps" err
	python3 -c "import sys, zipfile; print(zipfile.ZipFile(\"d.zip\").getinfo(\"d/vm1-t1.txt\").header_offset)" >at
	head -c "$(cat at)" d.zip >cut2.zip
	status 1 stkcap -o x.stk cut2.zip 2>err
	grep "^stkcap: cut2.zip.*data: " err
	head -c -100 d.zip >cut3.zip
	status 1 stkcap -o x.stk cut3.zip 2>err
	grep "^stkcap: cut3.zip: truncated zip data: the list of members at its end is missing" err
	grep "^stkcap: 6 dumps, 6 samples" err
	cat cut.zip | status 1 stkcap -o x.stk 2>err
	grep "^stkcap: [1-5] dumps" err
'
else
	skip 'no zip' 'encrypted and damaged members' ''
fi
check 'a tar file that is cut or damaged gives what can be had' '
	head -c 2600 d.tar >cut.tar
	status 1 stkcap -o x.stk cut.tar 2>err
	grep "^stkcap: cut.tar/d/vm.*truncated\|^stkcap: cut.tar.*Truncated" err
	cp d.tar bad.tar; printf garbage | dd of=bad.tar bs=1 seek=2560 conv=notrunc 2>/dev/null
	status 1 stkcap -o x.stk bad.tar 2>err
	grep "^stkcap: bad.tar: damaged or truncated tar data" err
	grep "^stkcap: 5 dumps, 5 samples" err
	head -c $(($(wc -c <d.tar.gz) * 3 / 4)) d.tar.gz >cut.tar.gz
	status 1 stkcap -o x.stk cut.tar.gz 2>err
	grep "^stkcap: cut.tar.gz.*: truncated" err
'
check 'every prefix of an archive is said or whole, and never a crash' '
	gzip -dc d.tar.gz >whole; xz -c whole >whole.xz
	for file in whole.xz d.zip d.7z; do
		test -e $file || continue
		size=$(wc -c <$file) at=1
		while test $at -lt $size; do
			head -c $at $file >prefix
			status 1 stkcap -q -o x.stk prefix 2>err
			test -s err
			at=$((at + size / 12 + 1))
		done
	done
'
check 'a text that begins like an archive is a text' '
	for begin in PK 070701 7z BZh "$(printf "%0100d" 0)"; do
		printf "%s;b;c 1\na;b;c 2\n" "$begin" >text
		stkcap -q -o x.stk text
		test "$(stkcat -q -f folded x.stk | wc -l)" = 2
		cat text | stkcap -q -o x.stk
		test "$(stkcat -q -f folded x.stk | wc -l)" = 2
	done
'
check 'at most eight levels within each other' '
	cp d/vm0-t0.txt level; for i in 1 2 3 4 5 6 7 8; do tar cf level2 level; mv level2 level; done
	stkcap -q -o x.stk level
	test "$(stkcat -q -f folded x.stk)" = "w;a.V0.run 1"
	tar cf level2 level
	status 1 stkcap -o x.stk level2 2>err
	grep "more than 8 archives and compressions within each other" err
'
check 'bombs stop: bytes in all, bytes of a member within, many times the size' '
	yes "a;b;c 1" | head -c 3000000 >many; cp many many2; cp many many3; tar czf many.tgz many many2 many3
	status 1 stkcap --max-expand 2M -o x.stk many.tgz 2>err
	grep "expands to more than 2097152 bytes, the limit" err
	status 0 stkcap --max-expand 10M -o x.stk many.tgz
	for n in 1 2 3; do gzip -c many >many$n.gz; done; tar cf within.tar many1.gz many2.gz many3.gz
	status 1 stkcap --max-expand 5M -o x.stk within.tar 2>err
	grep "^stkcap: within.tar.*more than .* bytes, the limit" err
	stkcat -q -f folded x.stk >got
	test "$(sed "s/.* //" got | awk "{ n += \$1 } END { print (n < 5 * 1048576 / 8 + 2) }")" = 1
	status 0 stkcap -q --max-expand 15M -o x.stk within.tar
	test "$(stkcat -q -f folded x.stk)" = "a;b;c 1125000"
	echo "a;b;c 1" >hole; truncate -s 1T hole; echo "a;b;c 1" >>hole; tar cSf hole.tar hole d; rm hole
	status 1 "$BUILD/t/tools/peak" peak stkcap -o x.stk hole.tar 2>err
	grep "^stkcap: hole.tar/hole: the archive expands to more than 10000 times its size" err
	test "$(cat peak)" -lt 65536 || case ${BUILD:-} in *address*) ;; *) false ;; esac
'
check 'libarchive is loaded for archives alone; where it cannot be, they are reported, and other files are read' '
	ldd "$(command -v stkcap)" >libraries
	status 1 grep archive libraries
	file=$(strings "$(command -v stkcap)" | grep -x "libarchive\.so.*" | head -1)
	mkdir -p broken && echo "no library" >"broken/$file"
	LD_LIBRARY_PATH=broken status 1 stkcap -o x.stk d.tar "$(find d -type f | sort | head -1)" 2>err
	grep "d.tar: tar data, for which a library cannot be loaded: .*$file" err
	stkcat -q -f folded x.stk | grep "^w;"
'
check 'what follows the end of an archive or of compressed data is said, and padding is nothing' '
	mkdir -p two; dump two/f shop.Sell 1; { echo "main;a 1"; } >two/g
	(cd two && tar cf ../two.tar f g && ls f g | cpio -o -H newc >../two.cpio) 2>/dev/null
	have zip && (cd two && zip -q ../two.zip f g && cp ../two.zip ../noted.zip && echo remark | zip -qz ../noted.zip)
	have 7z && (cd two && 7z a ../two.7z f g >/dev/null)
	gzip -c two.tar >two.tgz
	for packer in bzip2 lz4 xz; do have $packer && $packer -c two/f >"two.$packer"; done
	for file in two.tar two.cpio two.zip noted.zip two.7z two.tgz two.bzip2 two.lz4 two.xz; do
		test -e $file || continue
		stkcap -q -o out.stk $file || echo $file
		case $file in two.xz) ;; *)
			head -c 5120 /dev/zero | cat $file - >padded
			stkcap -q -o out.stk padded && stkcap -q -o out.stk - <padded || echo "$file with padding" ;;
		esac
		cat $file two/g >more
		status 1 stkcap -q -o out.stk more 2>err && status 1 stkcap -q -o out.stk - <more 2>err && test -s err || echo "$file and a text"
		case $file in two.bzip2 | two.lz4 | two.xz) continue ;; esac
		cat $file $file >more
		status 1 stkcap -q -o out.stk more 2>err && status 1 stkcap -q -o out.stk - <more 2>err && test -s err || echo "$file twice"
	done >wrong 2>&1
	same /dev/null wrong
	cat two.tar two.tar >more
	status 1 stkcap -q -o out.stk more 2>err; grep "more: something else follows the end of the tar data, which is not read" err
'
finish
