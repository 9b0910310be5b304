/* SPDX-License-Identifier: MIT
 * ways.c: what gcc-N -O0 --coverage -c ways.c, in a folder /src, wrote of this is in gcc-N.gcno; gcc-15.gcno with
 * -fpath-coverage -fcondition-coverage besides. */
double
middle(double a, double b, double c)
{
	double mid = c;

	if (b < c) {
		if (a < b)
			mid = b;
		else if (a < c)
			mid = a;
	} else {
		if (a > b)
			mid = b;
		else if (a > c)
			mid = a;
	}
	return mid;
}

int
rounds(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		switch (i % 5) {
		case 1: sum++; break;
		case 2: sum += 2;	/* fall through */
		case 3: continue;
		default: sum--;
		}
		while (sum > 100)
			sum /= 3;
	}
	return sum;
}
