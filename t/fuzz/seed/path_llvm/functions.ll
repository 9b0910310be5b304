; SPDX-License-Identifier: MIT
; Functions with everything that ends a block; read by t/4710. Not made by a compiler.
source_filename = "shapes.c"
declare i32 @callee(i32)
declare i32 @__gxx_personality_v0(...)

; Function Attrs: nounwind
define dso_local i32 @branches(i32 noundef %x) #0 !dbg !9 {
entry:
  %tobool = icmp ne i32 %x, 0, !dbg !11
  br i1 %tobool, label %if.then, label %if.else, !dbg !12

if.then:                                          ; preds = %entry
  br label %if.end, !dbg !13

if.else:                                          ; preds = %entry
    #dbg_value(i32 %x, !14, !DIExpression(), !11)
  br i1 %tobool, label %if.end, label %if.end

if.end:                                           ; preds = %if.else, %if.then
  %r = phi i32 [ 1, %if.then ], [ 2, %if.else ]
  ret i32 %r, !dbg !15
}

define i32 @switches(i32 %0) {
  switch i32 %0, label %2 [
    i32 1, label %3
    i32 2, label %3
    i32 -9, label %"quoted name"
  ]

2:                                                ; preds = %1
  ret i32 0

3:
  ret i32 1

"quoted name":
  unreachable
}

define i32 @throws(i32 %x) personality ptr @__gxx_personality_v0 {
start:
  %a = invoke noundef i32 @callee(i32 noundef %x)
          to label %normal unwind label %lpad

normal:
  ret i32 %a

lpad:
  %l = landingpad { ptr, i32 }
          cleanup
          catch ptr null
  resume { ptr, i32 } %l
}

define void @jumps(ptr %p) {
entry:
  indirectbr ptr %p, [label %a, label %b]
a:
  ret void
b:
  ret void
}

define void @asm_goto() {
entry:
  callbr void asm sideeffect "jmp ${0:l}", "!i,~{dirflag}"()
          to label %through [label %away, label %through]

through:
  ret void

away:
  ret void
}

define void @endless() {
entry:
  br label %loop

loop:
  %s = call i32 @callee(i32 1) ; label %nowhere
  br label %again

again:
  br label %loop

dead:                                             ; No predecessors!
  br label %loop
}

define void @returns() {
  tail call void @endless()
  ret void
}

!1 = !DIFile(filename: "shapes \22x\22.c", directory: "/src")
!9 = distinct !DISubprogram(name: "branches", scope: !1, file: !1, line: 3, scopeLine: 4)
!11 = !DILocation(line: 5, column: 2, scope: !9)
!12 = !DILocation(line: 5, column: 9, scope: !9)
!13 = !DILocation(line: 6, column: 3, scope: !9)
!15 = !DILocation(line: 12, column: 1, scope: !9)
