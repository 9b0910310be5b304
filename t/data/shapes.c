/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <setjmp.h>
static jmp_buf out;
static unsigned seed=12345;
static unsigned rnd(unsigned n){ seed=seed*1103515245u+12345u; return (seed>>16)%n; }
__attribute__((noinline)) int
sw(int x)
{
	int r = 0;
	switch (x) {
	case 0:
	case 1:
	case 2: r = 1; break;
	case 3: r = 2;
	case 4: r += 3; break;
	case 17: return 9;
	case 100:
	case 101: r = 4; break;
	default: r = x & 1 ? 5 : 6;
	}
	return r * 2;
}
__attribute__((noinline)) int
logic(int a, int b, int c)
{
	int r = 0;
	if ((a && b) || (!a && c > 2))
		r |= 1;
	r += a ? b ? 1 : 2 : c ? 3 : 4;
	int t = (a < b) && (b < c);
	return r + t + (a || c) * 8;
}
__attribute__((noinline)) int
loops(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		for (int j = i; j < n; j++) {
			if ((i * j) % 3 == 0)
				continue;
			if (s > 1000)
				goto done;
			s += i > j ? i : j & 1 ? 2 : 3;
		}
		do {
			s++;
		} while (s % 5);
	}
done:
	return s;
}
__attribute__((noinline)) int
vla(int n)
{
	int a[n + 1];
	int s = 0;
	for (int i = 0; i <= n; i++) {
		a[i] = i * i;
		int b[i + 1];
		b[i] = a[i];
		if (b[i] & 1) {
			int c[3] = { 1, 2, i };
			s += c[i % 3];
		}
	}
	return s + a[n / 2];
}
__attribute__((noinline)) int
fib(int n)
{
	if (n < 2)
		return n;
	int a = fib(n - 1);
	if (a % 2)
		return a + fib(n - 2);
	return fib(n - 2) + a;
}
__attribute__((noinline)) int jumper(int n){ if(n==5) longjmp(out,n); if(n%3==0) return 1; return 2; }
__attribute__((noinline)) int calls_jumper(int n){ int r=0; for(int i=0;i<n;i++) r+=jumper(i); return r; }
__attribute__((noinline)) int catcher(int n){ if(setjmp(out)) return -1; return calls_jumper(n); }
__attribute__((noinline)) double
sum(int n, ...)
{
	va_list ap;
	va_start(ap, n);
	double s = 0;
	while (n-- > 0) {
		if (n & 1)
			s += va_arg(ap, double);
		else
			s += va_arg(ap, int);
	}
	va_end(ap);
	return s;
}
struct big { long a[8]; };
__attribute__((noinline)) struct big
big(int x)
{
	struct big b;
	memset(&b, 0, sizeof b);
	if (x > 3) {
		b.a[x % 8] = x;
	} else {
		struct big c = { { 1, 2 } };
		b = x == 2 ? c : b;
	}
	return b;
}
__attribute__((noinline)) int
tail2(int n)
{
	if (n <= 0)
		return 7;
	if (n & 1)
		__attribute__((musttail)) return tail2(n - 1);
	__attribute__((musttail)) return tail2(n - 3);
}
__attribute__((noinline)) void
maybe_exit(int n)
{
	if (n == 77) {
		puts("bye");
		exit(3);
	}
	if (n == 78)
		abort();
	while (n > 100) {
		if (n == 101)
			exit(1);
		n--;
		if (n % 7 == 0)
			break;
	}
}
__attribute__((noinline)) int
computed(int n)
{
	static void *const l[] = { &&a, &&b, &&c };
	int s = 0;
	goto *l[n % 3];
a:
	s += 1;
b:
	s += 2;
c:
	s += 4;
	return s;
}
__attribute__((noinline)) int asmgoto(int n){ asm goto("testl %0,%0; jne %l1"::"r"(n)::yes); return 1; yes: return 2; }
__attribute__((noinline)) void
forever(int n)
{
	for (;;) {
		n += 3;
		if (n % 5 == 0)
			putchar('.');
		if (n > 40) {
			puts("");
			exit(n);
		}
	}
}
__attribute__((noinline)) char *
search(const char *s, int c)
{
	const char *best = NULL;
	for (const char *p = s; *p; p++) {
		if (*p == c && (!best || p[1] > best[1]))
			best = p;
		else if (*p == '!')
			return NULL;
	}
	return (char *)best;
}
__attribute__((noinline)) float
mix(float x, int n)
{
	float r = n > 2 ? x * 2 : x / 2;
	for (int i = 0; i < n; i++)
		r = r > 10 ? r - 3 : r < 0 ? r + 7 : r * 1.5f;
	return r;
}
int main(int argc,char **argv){
  int t=0; double d=0;
  for(int i=0;i<3000;i++){ t+=sw((int)rnd(110)); t+=logic(rnd(2),rnd(5),rnd(5)); }
  for (int i = 0; i < 200; i++) {
	  t += loops(rnd(14));
	  t += vla(rnd(9));
	  t += catcher(rnd(9));
	  t += tail2(rnd(20));
	  t += computed(rnd(7));
	  t += asmgoto(rnd(2));
	  d += mix(rnd(9), rnd(9));
  }
  t+=fib(12); d+=sum(4,1.5,2,3.5,4)+sum(1,3);
  for(int i=0;i<9;i++){ struct big b=big(i); t+=b.a[i%8]; maybe_exit(i+90); }
  const char *ss[]={"abcabc","hello!","x","","cacbcc"}; for(int i=0;i<5;i++){ char *p=search(ss[i],'c'); t+= p? *p: 1; }
  printf("%d %g\n",t,d); fflush(stdout);
  if(argc>1) maybe_exit(77);
  forever(argc);
}
