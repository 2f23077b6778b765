/** The dictionaries of OpenCC as opencc-js ships them: `from to|from to|…`. */
declare module 'opencc-js/dict/*' {
  const pairs: string;
  // biome-ignore lint/style/noDefaultExport: the package exports its dictionaries so
  export default pairs;
}
