import type { OperatorOperationDetail } from "@bursar/api/operator/OperatorOperation"
import { assert, it } from "@effect/vitest"
import { Effect, Sink, Stdio } from "effect"
import { told } from "../src/commands/operationShow.ts"

it.effect("shows what a partner signed without what a terminal obeys", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const stdout = () =>
      Sink.forEach((chunk: string | Uint8Array) => Effect.sync(() => void lines.push(`${Buffer.from(chunk)}`)))
    // JSON takes a carriage return between its signs, and the signs that begin a terminal's commands within a text
    const body = `{"address":"thief","reference":"\u009b2K\u009b1A\u202e",\r"reference":"r"}`
    assert.strictEqual(JSON.parse(body).address, "thief")
    const operation = {
      id: "x",
      attempts: [],
      contradiction: null,
      deliveries: [],
      events: [],
      evidence: [],
      legs: [],
      resolutions: [],
      timeline: [],
      waits: null,
      provider_calls: [],
      signed_request: { keyid: "k", signature_base: `"@method": POST\n"x": \r`, signature: "s", body }
    }
    // what is shown of an operation, without what every one has besides
    const shown = operation as unknown as OperatorOperationDetail
    yield* Effect.provide(told(false, shown), Stdio.layerTest({ stdout }))
    const text = lines.join("")
    assert.include(text, '"@method": POST\n"x": \\u{d}')
    assert.include(text, '"reference":"\\u{9b}2K\\u{9b}1A\\u{202e}",\\u{d}"reference":"r"}')
    assert.notMatch(text.replaceAll("\n", ""), /[\p{C}\p{Zl}\p{Zp}]/u)
  })
)
