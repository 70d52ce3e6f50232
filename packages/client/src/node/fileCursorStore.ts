import { open, readFile, rename } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import type { CursorStore } from "../event/CursorStore.ts"

const flush = async (path: string): Promise<void> => {
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

const read = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })

/**
 * Keeps a cursor in a file, of which there is always a whole one: what was saved survives a crash of the machine. The
 * folder must exist, and one consumer at a time may use the file. Loading rejects where the file holds anything else.
 */
export const fileCursorStore = (path: string): CursorStore => {
  const file = resolve(path)
  const next = `${file}.next`
  return {
    load: async () => {
      const text = (await read(file))?.trim()
      if (text === undefined) return undefined
      if (!/^\d{1,16}$/u.test(text)) throw new Error(`${file} holds no cursor.`)
      return Number(text)
    },
    save: async (cursor) => {
      const handle = await open(next, "w")
      try {
        await handle.writeFile(`${cursor}\n`)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(next, file)
      // Windows cannot open a folder, and does not need it.
      if (process.platform !== "win32") await flush(dirname(file))
    }
  }
}
