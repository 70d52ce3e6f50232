/** A value that JSON can hold exactly. Amounts stand in it as decimal strings, never as numbers. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }
