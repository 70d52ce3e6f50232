import { storable } from "./storable.ts"

/** The start of a text that others wrote, as it can be stored, with an ellipsis where it goes on. It never ends within a character. */
export const shortened = (text: string, charsMax: number): string =>
  // half a pair is left where one was cut
  text.length > charsMax ? `${storable(text.slice(0, charsMax).replace(/\p{Surrogate}$/u, ""))}…` : storable(text)
