/* SPDX-License-Identifier: MIT
 * Names as compilers make them become those of the source, and other names stay as they are. */
#include "../lib/tap.h"

#include "model/plain_name.h"

struct naming { uint64_t which; const char *function, *name; };	/* name NULL: stays as it is */

static const struct naming namings[] = {
	/* the operators of Scala, and words that begin like them */
	{ PLAIN_SCALA, "acme.Cart.$plus$eq", "acme.Cart.+=" },
	{ PLAIN_SCALA, "acme.Cart.unary_$minus", "acme.Cart.unary_-" },
	{ PLAIN_SCALA, "acme.Cart.$tilde$less$greater$bang$hash$percent", "acme.Cart.~<>!#%" },
	{ PLAIN_SCALA, "acme.Cart.$up$amp$bar$times$div$colon$qmark$at$bslash", "acme.Cart.^&|*/:?@\\" },
	{ PLAIN_SCALA, "scala.collection.immutable.$colon$colon.head", "scala.collection.immutable.::.head" },
	{ PLAIN_SCALA, "acme.Cart.empty_$qmark$1", "acme.Cart.empty_?$1" },
	{ PLAIN_SCALA, "acme.Cart.caf$u00E9s", "acme.Cart.caf\xc3\xa9s" },
	{ PLAIN_SCALA, "acme.Cart$update.run", NULL },
	{ PLAIN_SCALA, "acme.Cart$atlas.run", NULL },
	{ PLAIN_SCALA, "acme.Cart$u0001.run", NULL },
	{ PLAIN_SCALA, "acme.Cart$uD800.run", NULL },
	{ PLAIN_SCALA, "acme.Cart$u00e.run", NULL },
	{ PLAIN_SCALA, "scala.Predef$ArrowAssoc$.$minus$greater$extension", NULL },	/* "->" is inlining */
	/* its lambdas: of 2.12 and later, of 2.11, of 3 */
	{ PLAIN_SCALA, "acme.Shop$.$anonfun$sell$1", "acme.Shop$.sell{lambda#1}" },
	{ PLAIN_SCALA, "acme.Shop$.$anonfun$sell$12$adapted", "acme.Shop$.sell{lambda#12 adapted}" },
	{ PLAIN_SCALA, "acme.Shop.$anonfun$new$2", "acme.Shop.new{lambda#2}" },
	{ PLAIN_SCALA, "acme.Shop.$anonfun$$plus$plus$3", "acme.Shop.++{lambda#3}" },
	{ PLAIN_SCALA, "acme.Shop$$anonfun$sell$1.apply", "acme.Shop.sell{lambda#1}.apply" },
	{ PLAIN_SCALA, "acme.Shop$$anonfun$1.apply", "acme.Shop{lambda#1}.apply" },
	{ PLAIN_SCALA, "acme.Shop$$anonfun$sell$1$$anonfun$apply$2.apply$mcVI$sp",
	  "acme.Shop.sell{lambda#1}.apply{lambda#2}.apply$mcVI$sp" },
	{ PLAIN_SCALA, "acme.Shop$.sell$$anonfun$1", "acme.Shop$.sell{lambda#1}" },
	{ PLAIN_SCALA, "acme.Shop$.sell$$anonfun$1$$anonfun$2", "acme.Shop$.sell{lambda#1}{lambda#2}" },
	{ PLAIN_SCALA, "acme.Shop$.sell$$anonfun$adapted$1", "acme.Shop$.sell{lambda#1 adapted}" },
	{ PLAIN_SCALA, "acme.Shop$.$anonfun$", NULL },
	{ PLAIN_SCALA, "acme.Shop$.$anonfun$sell", NULL },
	{ PLAIN_SCALA, "acme.Shop$.$anonfun$sell$1x", NULL },
	{ PLAIN_SCALA, "acme.Shop.sell$default$2", "acme.Shop.sell{default#2}" },
	{ PLAIN_SCALA, "acme.Shop$.$lessinit$greater$default$1", "acme.Shop$.<init>{default#1}" },
	{ PLAIN_SCALA, "acme.Shop.sell$default", NULL },
	{ PLAIN_SCALA, "acme.Shop$$Lambda$14/0x0000000800c03000.run", NULL },
	/* Kotlin */
	{ PLAIN_KOTLIN, "acme.ShopKt.sell", "acme.sell" },
	{ PLAIN_KOTLIN, "MainKt.main", "main" },
	{ PLAIN_KOTLIN, "acme/ShopKt.sell", "acme/sell" },
	{ PLAIN_KOTLIN, "acme.AKt.a->acme.BKt.b", "acme.a->acme.b" },
	{ PLAIN_KOTLIN, "acme.ShopKt.sell(int, java.lang.String)", "acme.sell(int, java.lang.String)" },
	{ PLAIN_KOTLIN, "acme.ShopKt.sell$lambda$1$lambda$0", "acme.sell{lambda#1}{lambda#0}" },
	{ PLAIN_KOTLIN, "acme.Shop.sell$lambda-3", "acme.Shop.sell{lambda#3}" },
	{ PLAIN_KOTLIN, "acme.ShopKt.sell$default", "acme.sell{default}" },
	{ PLAIN_KOTLIN, "acme.Shop.sell$default$2", NULL },
	{ PLAIN_KOTLIN, "acme.Kt.sell", NULL },
	{ PLAIN_KOTLIN, "acme.ShopKt$sell$1.invoke", NULL },
	{ PLAIN_KOTLIN, "acme.ShopKt.Inner.sell", NULL },
	{ PLAIN_KOTLIN, "acme.marKt.sell", NULL },
	{ PLAIN_KOTLIN, "acme.Shop.lambda$sell$0", NULL },
	/* Java */
	{ PLAIN_JAVA, "acme.Shop.lambda$sell$0", "acme.Shop.sell{lambda#0}" },
	{ PLAIN_JAVA, "acme.Shop.lambda$new$11", "acme.Shop.new{lambda#11}" },
	{ PLAIN_JAVA, "acme.Shop.lambda$a$b$3", "acme.Shop.a$b{lambda#3}" },
	{ PLAIN_JAVA, "acme.Shop.lambda$0", NULL },		/* of Eclipse: it has no name */
	{ PLAIN_JAVA, "acme.Shop.mylambda$sell$0", NULL },
	{ PLAIN_JAVA, "acme.Shop.sell$lambda$0", NULL },
	/* suffixes */
	{ PLAIN_SUFFIXES, "total.isra.0", "total" },
	{ PLAIN_SUFFIXES, "total.constprop.12.isra.0.cold", "total" },
	{ PLAIN_SUFFIXES, "total.part.3", "total" },
	{ PLAIN_SUFFIXES, "total.cold", "total" },
	{ PLAIN_SUFFIXES, "total.llvm.12345678901234567890", "total" },
	{ PLAIN_SUFFIXES, "total.lto_priv.1", "total" },
	{ PLAIN_SUFFIXES, "total_[k]", "total" },
	{ PLAIN_SUFFIXES, "total [k]", "total" },
	{ PLAIN_SUFFIXES, "total+0x1a/0x30", "total" },
	{ PLAIN_SUFFIXES, "total.isra.0+0x1a_[k]", "total" },
	{ PLAIN_SUFFIXES, "clock_nanosleep@@GLIBC_2.17", "clock_nanosleep" },
	{ PLAIN_SUFFIXES, "clock_nanosleep@GLIBC_2.17+0x4", "clock_nanosleep" },
	{ PLAIN_SUFFIXES, "core::fmt::write::h0123456789abcdef", "core::fmt::write" },
	{ PLAIN_SUFFIXES, "memcpy@plt", NULL },
	{ PLAIN_SUFFIXES, "acme.Fridge.cold", NULL },
	{ PLAIN_SUFFIXES, "acme.Shop$$Lambda/0x0000000800c03000", NULL },
	{ PLAIN_SUFFIXES, "total+0x", NULL },
	{ PLAIN_SUFFIXES, "+0x1a", NULL },
	{ PLAIN_SUFFIXES, "[k]", NULL },
	{ PLAIN_SUFFIXES, ".cold", NULL },
	{ PLAIN_SUFFIXES, "_Z3foov.cold", "_Z3foov" },
	{ PLAIN_SUFFIXES, "a@B", NULL },
	{ PLAIN_SUFFIXES, "operator@ACME_1(int)", NULL },
	{ PLAIN_SUFFIXES, "", NULL },
	/* each switch does its own only */
	{ PLAIN_NATIVE, "acme.Shop$.$anonfun$sell$1", NULL },
	{ PLAIN_NATIVE, "total.isra.0", NULL },
	{ PLAIN_SCALA | PLAIN_KOTLIN, "acme.ShopKt.$anonfun$sell$1", "acme.sell{lambda#1}" },
	{ PLAIN_ALL, "total.isra.0", "total" },
	{ PLAIN_ALL, "acme.Shop.lambda$sell$0", "acme.Shop.sell{lambda#0}" },
	{ PLAIN_ALL, "acme.Shop.sell$default$2", "acme.Shop.sell{default#2}" },
};

static const struct naming natives[] = {
	{ PLAIN_NATIVE, "_ZN4acme4Cart5totalEv", "acme::Cart::total()" },
	{ PLAIN_NATIVE, "__ZN4acme4Cart5totalEv", "acme::Cart::total()" },		/* macOS */
	{ PLAIN_NATIVE, "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)" },
	{ PLAIN_NATIVE, "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const" },
	{ PLAIN_NATIVE, "_Z3foov.cold", "foo() [clone .cold]" },
	{ PLAIN_NATIVE, "_Z3foov@plt", "foo()@plt" },
	{ PLAIN_NATIVE, "_Z3foov@@ACME_1.2", "foo()@@ACME_1.2" },
	{ PLAIN_NATIVE, "_GLOBAL__sub_I__Z3foov", NULL },
	{ PLAIN_NATIVE | PLAIN_SUFFIXES, "_Z3foov.cold", "foo()" },
	{ PLAIN_NATIVE, "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
	{ PLAIN_NATIVE, "_ZN4core3fmt5write17h0123456789abcdefE.llvm.1234567890", "core::fmt::write" },
	{ PLAIN_NATIVE, "_ZN42_$LT$$RF$T$u20$as$u20$core..fmt..Debug$GT$3fmt17h6587bf93e37d62efE",
	  "<&T as core::fmt::Debug>::fmt" },
	{ PLAIN_NATIVE, "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
	{ PLAIN_NATIVE, "_RNvNtCs6xxl1lAjzDf_1au7ber_goau9strae_oqa", "a::\xc3\xbc" "ber::stra\xc3\x9f" "e" },
	{ PLAIN_NATIVE, "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>" },
	{ PLAIN_NATIVE, "_Zebra", NULL },
	{ PLAIN_NATIVE, "_Read", NULL },
	{ PLAIN_NATIVE, "_Z", NULL },
	{ PLAIN_NATIVE, "_", NULL },
	{ PLAIN_NATIVE, "main", NULL },
	{ PLAIN_NATIVE, "@", NULL },
};

static void
check_namings(const struct naming *at, size_t count)
{
	struct text_buffer room = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct stk_text name = plain_name(at[i].which, text_from(at[i].function), &room);
		const char *want = at[i].name != NULL ? at[i].name : at[i].function;

		ok(text_is(name, want), "'%s' is '%.*s', expected '%s'", at[i].function, (int)name.size, name.data,
		   want);
	}
	array_release(&room);
}

/* _Z1f1AIiiE, in which each further part has the one before twice: more than PLAIN_NAME_MAX after nine. */
static void
check_growing_name(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct text_buffer symbol = { 0 }, room = { 0 };
	struct stk_text name;

	add_string(&symbol, "_Z1f1AIiiE");
	for (unsigned i = 0; i < 30; i++) {
		name = plain_name(PLAIN_NATIVE, text_in(&symbol, 0), &room);
		ok(name.size <= PLAIN_NAME_MAX && text_starts(name, i < 9 ? "f(A<" : "_Z1f"),
		   "a name that doubles %u times has %zu bytes", i, name.size);
		add_format(&symbol, "S_IS%c_S%c_E", digits[i], digits[i]);
	}
	array_release(&symbol);
	array_release(&room);
}

static void
check_long_symbols(void)
{
	static const size_t pointers[] = { 1000, PLAIN_SYMBOL_MAX - 5, PLAIN_SYMBOL_MAX - 4, 100000 };
	struct text_buffer symbol = { 0 }, room = { 0 };

	for (unsigned i = 0; i < sizeof pointers / sizeof *pointers; i++) {
		struct stk_text name;

		symbol.count = 0;
		add_string(&symbol, "_Z1f");
		for (size_t p = 0; p < pointers[i]; p++)
			add_char(&symbol, 'P');
		add_char(&symbol, 'i');
		name = plain_name(PLAIN_NATIVE, text_in(&symbol, 0), &room);
		/* f(int***...) as far as libiberty goes, else the symbol */
		ok(text_starts(name, "f(int*") ? name.size == pointers[i] + 6 : text_equal(name, text_in(&symbol, 0)),
		   "a pointer to a pointer, %zu times, is '%.20s...'", pointers[i], name.data);
	}
	array_release(&symbol);
	array_release(&room);
}

int
main(void)
{
	check_namings(namings, sizeof namings / sizeof *namings);
	if (plain_name_missing(PLAIN_NATIVE) == NULL) {
		check_namings(natives, sizeof natives / sizeof *natives);
		check_growing_name();
		check_long_symbols();
	}
	return tap_end();
}
