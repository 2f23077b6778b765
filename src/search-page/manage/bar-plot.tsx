/** Bars of one series as SVG, with the highest value, the ends of the axis and a text for each bar. */

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The value for people. */
  readonly text: string;
  /** Part of the value that is marked, from its foot. */
  readonly marked?: number;
}

interface BarPlotProps {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const HEIGHT = 100;
const STEP = 10;
const WIDTH = 8;

export function BarPlot({ title, bars }: BarPlotProps) {
  const most = Math.max(...bars.map(({ value }) => value), 0);
  const highest = bars.find(({ value }) => value === most);
  const heightOf = (value: number): number => (most === 0 ? 0 : (value / most) * HEIGHT);
  return (
    <figure class="bar-plot">
      <figcaption>
        {title} <span class="about">at most {highest?.text}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${title}: ${bars.map(({ name, text }) => `${name} ${text}`).join(', ')}`}
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {bars.map(({ name, value, text, marked = 0 }, i) => (
          <g key={name}>
            <title>{`${name}: ${text}`}</title>
            <rect x={i * STEP} y="0" width={STEP} height={HEIGHT} class="space" />
            <Part at={i} height={heightOf(value)} />
            <Part at={i} height={heightOf(marked)} isMarked />
          </g>
        ))}
      </svg>
      <p class="ends about">
        <span>{bars[0]?.name}</span> <span>{bars.at(-1)?.name}</span>
      </p>
    </figure>
  );
}

interface PartProps {
  readonly at: number;
  readonly height: number;
  readonly isMarked?: boolean;
}

const Part = ({ at, height, isMarked = false }: PartProps) => (
  <rect
    x={at * STEP + (STEP - WIDTH) / 2}
    y={HEIGHT - height}
    width={WIDTH}
    height={height}
    class={isMarked ? 'marked' : 'bar'}
  />
);
