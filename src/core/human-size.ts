/** Byte sizes for people. */
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** In binary units. @param decimals at most */
export function humanSize(bytes: number, decimals = 2): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Number(value.toFixed(decimals))} ${UNITS[unit]}`;
}
