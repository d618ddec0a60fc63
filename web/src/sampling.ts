// How sure a share is that a random sample gives.

const Z = 1.959964; // of a 95 % interval

/** Wilson's 95 % interval of a share, for a sample of n out of `all`; a complete count has no width. */
export function wilson(share: number, n: number, all: number): [low: number, high: number] | null {
  if (!n) return null;
  if (n >= all) return [share, share];
  const size = (n * (all - 1)) / (all - n); // the finite population makes a sample worth more
  const [z, middle] = [(Z * Z) / size, share + (Z * Z) / (2 * size)];
  const half = Z * Math.sqrt((share * (1 - share)) / size + (Z * Z) / (4 * size * size));
  return [Math.max(0, (middle - half) / (1 + z)), Math.min(1, (middle + half) / (1 + z))];
}

/** Half the width of the interval at a share of one half, in points: the most that a sample leaves open. */
export function halfWidth(n: number, all: number): number | null {
  const interval = wilson(0.5, n, all);
  return interval && (100 * (interval[1] - interval[0])) / 2;
}
