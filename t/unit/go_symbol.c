/* SPDX-License-Identifier: MIT
 * go_symbol: escaped paths of packages are read, and nothing else is changed. */
#include "base/bytes.h"
#include "ingest/go_symbol.h"
#include "../lib/tap.h"

static void
becomes(const char *symbol, const char *name)
{
	char room[GO_SYMBOL_MAX];
	struct stk_text got = go_symbol_name(text_of(symbol, strlen(symbol)), room);

	ok(text_is(got, name), "%s is %s, not %.*s", symbol, name, (int)got.size, got.data);
}

static void
stays(const char *symbol)
{
	becomes(symbol, symbol);
}

int
main(void)
{
	becomes("gopkg.in/yaml%2ev2.(*decoder).unmarshal", "gopkg.in/yaml.v2.(*decoder).unmarshal");
	becomes("example%2ecom.Serve", "example.com.Serve");
	becomes("a.b/c%2ed%25.F", "a.b/c.d%.F");
	becomes("a/c%2ed%41.F", "a/c.d%41.F");		/* no character that is escaped */
	becomes("a/c%2ed.F%2e", "a/c.d.F.");
	stays("gopkg.in/yaml.v2.F");
	stays("GET /a%20b.html");
	stays("GET /a%2eb/c.html");			/* not in the last part */
	stays("a/b%2ec");				/* no function */
	stays("a/%2ec.F");
	stays("a/b%2E.F");
	stays("a/b%2e%00.F");
	stays("%");
	stays("");
	return tap_end();
}
