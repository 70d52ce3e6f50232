import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileCursorStore } from "@bursar/client/node"
import { assert, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"

const folder = async () => {
  const path = await mkdtemp(join(tmpdir(), "bursar-cursor-"))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

describe("a cursor in a file", () => {
  it("is undefined until one is saved, then the last one, also for another process", async () => {
    const path = join(await folder(), "cursor")
    const store = fileCursorStore(path)
    assert.isUndefined(await store.load())
    await store.save(41)
    await store.save(42)
    assert.strictEqual(await fileCursorStore(path).load(), 42)
    assert.deepStrictEqual(await readdir(join(path, "..")), ["cursor"])
  })

  it("survives what a crash leaves of the next one", async () => {
    const path = join(await folder(), "cursor")
    await fileCursorStore(path).save(41)
    await writeFile(`${path}.next`, "")
    assert.strictEqual(await fileCursorStore(path).load(), 41)
    await fileCursorStore(path).save(42)
    assert.strictEqual(await fileCursorStore(path).load(), 42)
  })

  it("does not start anew over a file that it cannot read", async () => {
    const path = join(await folder(), "cursor")
    for (const text of ["", "{}", "1.5", "-1"]) {
      await writeFile(path, text)
      const error: unknown = await fileCursorStore(path)
        .load()
        .catch((error: unknown) => error)
      assert.include(String(error), "holds no cursor")
    }
    const error: unknown = await fileCursorStore(join(path, "..", "missing", "cursor"))
      .save(1)
      .catch((error: unknown) => error)
    assert.include(String(error), "ENOENT")
  })
})
