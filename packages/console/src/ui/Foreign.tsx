import { printable } from "@bursar/api/wire/printable"

/** A text that somebody outside wrote: neither signs that nobody sees nor letters that are read from the right change what stands beside it. */
export const Foreign = ({ text }: { readonly text: string }) => <bdi>{printable(text)}</bdi>
