// A radar: one spoke for each attribute, one line around for each dataset.

export interface RadarLine {
  name: string;
  colour: string;
  values: { share: number | null; tip: string }[];
}

const RADIUS = 92;
const SIZE = 300;
const SIDE = 60; // room for names beside it
const RINGS = [0.25, 0.5, 0.75, 1];

function at(spoke: number, spokes: number, share: number): [number, number] {
  const angle = (2 * Math.PI * spoke) / spokes - Math.PI / 2;
  return [SIZE / 2 + RADIUS * share * Math.cos(angle), SIZE / 2 + RADIUS * share * Math.sin(angle)];
}

export function Radar({ title, axes, lines }: { title: string; axes: string[]; lines: RadarLine[] }) {
  const ring = (share: number) => axes.map((_, k) => at(k, axes.length, share).join(",")).join(" ");
  return (
    <svg class="radar" viewBox={`${-SIDE} 0 ${SIZE + 2 * SIDE} ${SIZE}`} width={SIZE + 2 * SIDE} role="group" aria-label={`Radar of ${title}`} font-size={11}>
      <text x={10} y={20} font-size={14} fill="currentColor">
        {title}
      </text>
      {RINGS.map((share) => (
        <polygon key={share} points={ring(share)} fill="none" stroke="currentColor" stroke-opacity={0.2} />
      ))}
      {axes.map((axis, k) => {
        const [x, y] = at(k, axes.length, 1.12);
        const anchor = Math.abs(x - SIZE / 2) < 8 ? "middle" : x < SIZE / 2 ? "end" : "start";
        return (
          <text key={axis} x={x} y={y + 4} text-anchor={anchor} fill="currentColor">
            {axis}
          </text>
        );
      })}
      {lines.map((line) => {
        const known = line.values.map((value, k) => ({ ...value, k })).filter((value) => value.share !== null);
        const corners = known.map(({ share, k }) => at(k, axes.length, share!).join(",")).join(" ");
        return (
          <g key={line.name}>
            <polygon points={corners} fill={line.colour} fill-opacity={0.12} stroke={line.colour} stroke-width={1.5} />
            {known.map(({ share, tip, k }) => {
              const [x, y] = at(k, axes.length, share!);
              return <circle key={k} cx={x} cy={y} r={3.5} fill={line.colour} role="img" aria-label={tip} />;
            })}
          </g>
        );
      })}
    </svg>
  );
}
