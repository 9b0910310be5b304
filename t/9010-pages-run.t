#!/bin/sh
# SPDX-License-Identifier: MIT
# Every example of README and of the pages in docs prints what the page shows. t/lib/run_docs.py --write PAGE brings a page up to date.
cd "${0%/*}/.." || exit 1
export PATH="${BUILD:-$PWD/build}/bin:$PATH"
exec python3 t/lib/run_docs.py README.md docs/tutorial.md docs/cookbook.md
