/** Books for accountants: what a ledger holds, written in the formats that their programs read. Each module can be imported by its own path too. */
export { type Book, type BookEntries } from "./Book.ts"
export { type Format } from "./Format.ts"
export { formats } from "./formats.ts"
