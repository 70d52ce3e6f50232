/** What needs Node, Bun or Deno: a cursor of the feed of events that is kept in a file. */
export { fileCursorStore } from "./node/fileCursorStore.ts"
