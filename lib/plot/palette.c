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

/* Areas of PALETTE_SAFE, the heaviest first; the last: what is not kept apart. */
static const struct palette_fill safe_groups[PALETTE_GROUPS + 1] = {
	{ 0xF0E442, 227, 103 }, { 0x5B73CD, 68, 104 },	{ 0xEE2918, 196, 101 }, { 0x68C8F4, 81, 106 },
	{ 0xEF9687, 210, 105 }, { 0xAFFDED, 159, 102 }, { 0x9D7782, 138, 47 },	{ 0x7D98F5, 111, 44 },
	{ 0xC2C310, 142, 43 },	{ 0xBB8DB6, 175, 45 },	{ 0xB2D8C3, 151, 42 },	{ 0xEF7926, 208, 41 },
	{ 0x8E6FFB, 99, 104 },	{ 0xFCC17C, 222, 103 }, { 0x74814A, 101, 42 },	{ 0xD0EDB5, 193, 102 },
	{ 0x8FBCB2, 109, 46 },	{ 0x24E9F2, 51, 106 },	{ 0xD532AD, 163, 105 }, { 0x7FA358, 107, 42 },
	{ 0xBDBDBD, 250, 47 }
};

static const struct palette_fill others[PALETTES] = {
	{ 0xBDBDBD, 250, 47 }, { 0xBDBDBD, 250, 47 }, { 0xFAFAFA, 231, 107 }
};

/* What waits for what, or is wrong, and what is worse. */
static const struct palette_fill alarms[PALETTES][2] = {
	{ { 0xFCC17C, 216, 103 }, { 0xEE2918, 196, 101 } },
	{ { 0xFFD24D, 221, 103 }, { 0xEE2918, 196, 101 } },
	{ { 0xD4D4D4, 188, 107 }, { 0x7C7C7C, 244, 47 } }
};

static const struct palette_lines lines[PALETTES] = {
	{ "0B57D0", "B35300", "C400C4", "8AB4F8", "F6A56B", "FF7BFF", "34", "33", "1;35" },
	{ "D32F2F", "B35300", "C400C4", "D32F2F", "B35300", "C400C4", "31", "33", "1;35" },
	{ "1A1A1A", "595959", "1A1A1A", "E8E8E8", "A8A8A8", "E8E8E8", "0", "2", "1" }
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

/* Even steps of lightness, dark to light; safe is cividis. */
static const struct palette_fill heats[PALETTES][PALETTE_HEATS] = {
	{ { 0x00224E, 17, 40 }, { 0x123570, 23, 44 }, { 0x3B496C, 239, 44 }, { 0x575D6D, 59, 44 },
	  { 0x707173, 243, 100 }, { 0x8A8678, 244, 47 }, { 0xA69D75, 144, 43 }, { 0xC3B469, 143, 43 },
	  { 0xE1CC55, 185, 103 }, { 0xFEE838, 221, 103 } },
	{ { 0x4A0014, 52, 40 }, { 0x800026, 88, 41 }, { 0xBD0026, 124, 41 }, { 0xE31A1C, 160, 41 },
	  { 0xFC4E2A, 202, 101 }, { 0xFD8D3C, 209, 101 }, { 0xFEB24C, 215, 43 }, { 0xFED976, 222, 103 },
	  { 0xFFEDA0, 229, 103 }, { 0xFFFFCC, 230, 107 } },
	{ { 0x000000, 16, 40 }, { 0x1C1C1C, 234, 40 }, { 0x373737, 237, 40 }, { 0x525252, 239, 100 },
	  { 0x6D6D6D, 242, 100 }, { 0x888888, 102, 100 }, { 0xA3A3A3, 247, 47 }, { 0xBEBEBE, 250, 47 },
	  { 0xD9D9D9, 253, 107 }, { 0xF4F4F4, 255, 107 } }
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

/* Neighbours of an area are not neighbours of its fill. */
const struct palette_fill *
palette_group(enum palette palette, unsigned number)
{
	if (palette == PALETTE_SAFE)
		return &safe_groups[number < PALETTE_GROUPS ? number : PALETTE_GROUPS];
	return number < PALETTE_GROUPS ? palette_module(palette, number * 5 % PALETTE_MODULES) : &others[palette];
}

const struct palette_fill *
palette_heat(enum palette palette, unsigned step)
{
	return &heats[palette][step];
}

bool
palette_heat_is_dark(enum palette palette, unsigned step)
{
	return step < (palette == PALETTE_WARM ? 4 : 5);
}

const struct palette_fill *
palette_alarm(enum palette palette, bool critical)
{
	return &alarms[palette][critical];
}

const struct palette_lines *
palette_lines(enum palette palette)
{
	return &lines[palette];
}

const char *
palette_name(enum palette palette)
{
	static const char *const names[PALETTES] = { "safe", "warm", "grey" };

	return names[palette];
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
	for (unsigned i = 0; i < PALETTE_HEATS; i++)
		add_fill(to, i == 0 ? '|' : ' ', palette_heat(palette, i));
	for (unsigned i = 0; i <= PALETTE_GROUPS; i++)
		add_fill(to, i == 0 ? '|' : ' ', palette_group(palette, i));
}
