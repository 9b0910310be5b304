/* SPDX-License-Identifier: MIT
 * palette: those of PALETTE_SAFE are in lib/plot/page/page_colours.js, too, which a test compares. */
#include "plot/palette.h"

static const struct palette_fill modules[PALETTES][PALETTE_MODULES] = {
	{ { 0xF0E442, 227, 103 }, { 0x5B73CD, 68, 104 },  { 0xEE2918, 196, 101 }, { 0x68C8F4, 81, 106 },
	  { 0xEF9687, 210, 101 }, { 0xAFFDED, 159, 106 }, { 0x9D7782, 138, 105 }, { 0x7D98F5, 111, 104 },
	  { 0xC2C310, 142, 103 }, { 0xBB8DB6, 175, 105 }, { 0xB2D8C3, 151, 102 }, { 0xEF7926, 208, 102 } },
	{ { 0xFFE97A, 228, 103 }, { 0xFFD24D, 221, 103 }, { 0xFFBE33, 215, 43 },  { 0xFFA833, 214, 43 },
	  { 0xFF9326, 208, 43 },  { 0xFF7F1F, 208, 43 },	 { 0xF96D2E, 203, 101 }, { 0xF2593A, 203, 101 },
	  { 0xFFC58A, 222, 103 }, { 0xF7A27A, 216, 101 }, { 0xE8B04A, 179, 43 },  { 0xE58A4E, 173, 43 } },
	{ { 0xF2F2F2, 255, 107 }, { 0xE8E8E8, 254, 107 }, { 0xDEDEDE, 253, 107 }, { 0xD4D4D4, 188, 107 },
	  { 0xCACACA, 251, 47 },  { 0xC0C0C0, 250, 47 },  { 0xB6B6B6, 249, 47 },  { 0xACACAC, 248, 47 },
	  { 0xA2A2A2, 247, 47 },  { 0x989898, 246, 47 },  { 0x8E8E8E, 245, 47 },  { 0x848484, 244, 47 } }
};

/* From the most that there is less, over no change, to the most that there is more. */
static const struct palette_fill steps[PALETTES][2 * PALETTE_STEPS + 1] = {
	{ { 0x2F82BF, 68, 46 },	  { 0x4A94CB, 74, 46 },	  { 0x7FB3DC, 110, 46 },  { 0xAFCFEA, 153, 46 },
	  { 0xD6E6F4, 189, 106 }, { 0xE6E6E6, 254, 107 }, { 0xFDE3CF, 224, 103 }, { 0xFBC79F, 223, 43 },
	  { 0xF6A56B, 215, 43 },  { 0xE98138, 173, 43 },  { 0xE0670A, 166, 43 } },
	{ { 0x7A7AFF, 105, 104 }, { 0x9494FF, 105, 104 }, { 0xADADFF, 147, 104 }, { 0xC7C7FF, 189, 106 },
	  { 0xE0E0FF, 189, 106 }, { 0xF0F0F0, 255, 107 }, { 0xFFE0E0, 224, 101 }, { 0xFFC2C2, 217, 101 },
	  { 0xFF9E9E, 217, 101 }, { 0xFF7878, 210, 101 }, { 0xFF5252, 203, 101 } },
	{ { 0xC8C8C8, 251, 47 },  { 0xD2D2D2, 252, 47 },  { 0xDCDCDC, 253, 107 }, { 0xE6E6E6, 254, 107 },
	  { 0xF0F0F0, 255, 107 }, { 0xFFFFFF, 231, 107 }, { 0xB4B4B4, 249, 47 },  { 0xA6A6A6, 248, 47 },
	  { 0x989898, 246, 47 },  { 0x8A8A8A, 245, 47 },  { 0x7C7C7C, 244, 47 } }
};

static const struct palette_fill chances[PALETTES] = {
	{ 0xBDBDBD, 250, 47 }, { 0xBDBDBD, 250, 47 }, { 0xFAFAFA, 231, 107 }
};

/* Even steps of lightness; safe is cividis. */
static const char *const heats[PALETTES] = {
	"00224E 123570 3B496C 575D6D 707173 8A8678 A69D75 C3B469 E1CC55 FEE838",
	"4A0014 800026 BD0026 E31A1C FC4E2A FD8D3C FEB24C FED976 FFEDA0 FFFFCC",
	"000000 1C1C1C 373737 525252 6D6D6D 888888 A3A3A3 BEBEBE D9D9D9 F4F4F4"
};

const struct palette_fill *
palette_module(enum palette palette, unsigned number)
{
	return &modules[palette][number];
}

const struct palette_fill *
palette_step(enum palette palette, int step)
{
	return &steps[palette][PALETTE_STEPS + step];
}

const struct palette_fill *
palette_chance(enum palette palette)
{
	return &chances[palette];
}

static void
add_fill(struct text_buffer *to, char before, const struct palette_fill *fill)
{
	if (before != '\0')
		add_char(to, before);
	add_format(to, "%06X", (unsigned)fill->rgb);
}

void
palette_describe(struct text_buffer *to, enum palette palette)
{
	for (unsigned i = 0; i < PALETTE_MODULES; i++)
		add_fill(to, i == 0 ? '\0' : ' ', palette_module(palette, i));
	for (int way = 1; way >= -1; way -= 2)
		for (int step = 1; step <= PALETTE_STEPS; step++)
			add_fill(to, step == 1 ? '|' : ' ', palette_step(palette, way * step));
	add_fill(to, '|', palette_step(palette, 0));
	add_fill(to, ' ', palette_chance(palette));
	add_char(to, '|');
	add_string(to, heats[palette]);
}
