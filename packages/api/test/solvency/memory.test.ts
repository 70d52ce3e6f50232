import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"

const program = fileURLToPath(new URL("support/growTree.ts", import.meta.url))

describe("a sum tree of many leaves", () => {
  it("is built in memory that does not grow with them", async () => {
    const leaves = 100_000
    // all nodes of it together would take more than this
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--max-old-space-size=12",
      "--max-semi-space-size=1",
      program,
      String(leaves)
    ])
    const { depth, nodes, total } = JSON.parse(stdout) as { depth: number; nodes: number; total: string } // as the program writes it
    assert.deepStrictEqual({ depth, total }, { depth: 17, total: String((leaves * (leaves - 1)) / 2) })
    assert.isAtLeast(nodes, 2 * leaves)
  })
})
