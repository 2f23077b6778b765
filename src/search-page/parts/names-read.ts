/** What a typed text adds to a list: names, or the reason of a refusal. */
export type NamesRead = { readonly names: readonly string[] } | { readonly refusal: string };
