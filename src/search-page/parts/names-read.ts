/** The names that a typed text adds to a list, or the reason of a refusal. */
export type NamesRead = { readonly names: readonly string[] } | { readonly refusal: string };
