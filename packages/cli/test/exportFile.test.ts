import { formats } from "@bursar/books/formats"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Stream } from "effect"
import { cutBack, partOf, writeFile } from "../src/commands/exportFile.ts"

const posting = (number: number) => `{"posting":${number},"reference":"é ${"x".repeat(number)}"}\n`

const head = '{"type":"opening"}\n'
const whole = head + [1, 2, 3, 4, 5].map(posting).join("") + '{"type":"closing"}\n'

/** The connection breaks after so many bytes. */
const broken = (bytes: number) =>
  Stream.concat(Stream.succeed(Buffer.from(whole).subarray(0, bytes)), Stream.fail("the connection broke"))

const after = (number: number) => Stream.succeed(Buffer.from(whole.slice(whole.indexOf(`{"posting":${number + 1},`))))

const test = <A, E>(name: string, use: (file: string) => Effect.Effect<A, E, FileSystem.FileSystem>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      return yield* use(`${yield* fs.makeTempDirectoryScoped()}/book.jsonl`)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

describe("a file of an export", () => {
  test("that was stopped anywhere has no name of its own, and becomes the very same file when it goes on", (file) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      for (let bytes = 0; bytes < Buffer.byteLength(whole); bytes += 7) {
        assert.strictEqual(yield* Effect.flip(writeFile(file, broken(bytes))), "the connection broke")
        assert.isFalse(yield* fs.exists(file))
        const place = yield* cutBack(file, formats.jsonl)
        yield* writeFile(file, place === undefined ? Stream.succeed(Buffer.from(whole)) : after(place))
        assert.strictEqual(yield* fs.readFileString(file), whole)
        assert.isFalse(yield* fs.exists(partOf(file)))
        yield* fs.remove(file)
      }
    }))

  test("that cannot be continued is written anew", (file) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      yield* Effect.flip(writeFile(file, broken(100)))
      assert.isUndefined(yield* cutBack(file, formats.camt053))
      assert.isFalse(yield* fs.exists(partOf(file)))
      assert.isUndefined(yield* cutBack(file, formats.jsonl))
    }))
})
