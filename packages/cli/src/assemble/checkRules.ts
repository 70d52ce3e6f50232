import type { CurrencyTable } from "@bursar/core/money/Currency"
import { createHash, type Hash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Where the rules are, and what shows them the rows. */
const folders = (): ReadonlyArray<string> =>
  ["@bursar/core", "@bursar/postgres"].map((name) => dirname(fileURLToPath(import.meta.resolve(name))))

const isCode = (name: string): boolean => /\.[jt]s$/u.test(name) && !name.endsWith(".d.ts")

/** The code of a folder, file by file. */
const addCode = (hash: Hash, folder: string): void => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isCode)
  for (const name of files.toSorted())
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update("\0")
}

const plain = (_: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value)

/**
 * A digest of all that a check judges by: the code of the rules with everything that they call, and the currencies with their networks. What one version
 * has found clean, or under one configuration, says nothing of another.
 */
export const checkRules = ({ all, networks }: CurrencyTable, code = folders()): string => {
  const hash = createHash("sha256").update(JSON.stringify([all, networks.all], plain))
  for (const folder of code) if (existsSync(folder)) addCode(hash, folder)
  // a program of one file has its own copy of everything
  return hash.update(readFileSync(fileURLToPath(import.meta.url))).digest("hex")
}
