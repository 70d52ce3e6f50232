import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** hledger; undefined where there is none (docs/contributing/nodes.md). */
export const hledgerPath = process.env["HLEDGER"]
/** A Python with beancount and lxml; undefined where there is none. */
export const pythonPath = process.env["BEANCOUNT_PYTHON"]
/** The schema of camt.053.001.08; undefined where there is none. */
export const camtSchema = process.env["CAMT053_XSD"]

/** Runs a program on a file with a text, and gives what it prints. */
export const runOn = async (
  program: string,
  name: string,
  text: string,
  args: (file: string) => ReadonlyArray<string>
): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), "bursar-books-"))
  try {
    const file = join(dir, name)
    await writeFile(file, text)
    const { stdout } = await run(program, args(file), {
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, LC_ALL: "C.UTF-8" }
    })
    return stdout
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
