import { Context } from "effect"

/** The files of the operator console by their paths, such as `/index.html` and `/assets/index.js`; none where the console is not served. */
export const ConsoleFiles = Context.Reference<ReadonlyMap<string, Uint8Array>>("@bursar/server/console/ConsoleFiles", {
  defaultValue: () => new Map()
})
