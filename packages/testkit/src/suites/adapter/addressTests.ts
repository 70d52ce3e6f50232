import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import type { SuiteIt } from "../harness.ts"
import { AdapterWorld } from "./AdapterWorld.ts"

/** What somebody may type by mistake for a good address. */
const mistyped = (address: string): ReadonlyArray<string> => [
  "",
  " ",
  ` ${address}`,
  `${address} `,
  `${address}\n`,
  address + address,
  address.slice(1),
  address.slice(0, -1),
  `${address}0`
]

/** A good address with one character changed. */
const altered = (address: string) =>
  fc
    .tuple(
      fc.nat(address.length - 1),
      fc.constantFrom(..."0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    )
    .map(([at, char]) => address.slice(0, at) + char + address.slice(at + 1))

/** Addresses have one canonical form, and what is none is refused in words. */
export const addressTests = (it: SuiteIt<AdapterWorld>, timeoutMs: number): void => {
  it.effect(
    "gives for an address that it has issued that very address",
    () =>
      Effect.gen(function* () {
        const { account, adapter } = yield* AdapterWorld
        for (const { address } of yield* adapter.keys.derive(account.key, 0, 20)) {
          assert.strictEqual(Result.getOrThrow(adapter.parseAddress(address)), address)
        }
      }),
    timeoutMs
  )

  it.effect(
    "gives for every spelling of an address its one canonical form",
    () =>
      Effect.gen(function* () {
        const { adapter, spellings } = yield* AdapterWorld
        for (const [text, canonical] of spellings) {
          assert.strictEqual(Result.getOrThrow(adapter.parseAddress(text)), canonical, text)
          assert.strictEqual(Result.getOrThrow(adapter.parseAddress(canonical)), canonical)
        }
      }),
    timeoutMs
  )

  it.effect(
    "refuses what is no address, and says why",
    () =>
      Effect.gen(function* () {
        const { account, adapter, notAddresses } = yield* AdapterWorld
        const [first] = yield* adapter.keys.derive(account.key, 0, 1)
        for (const text of [...notAddresses, ...mistyped(first?.address ?? "")]) {
          const parsed = adapter.parseAddress(text)
          if (Result.isSuccess(parsed)) return assert.fail(`${JSON.stringify(text)} was taken for an address`)
          assert.isNotEmpty(parsed.failure)
        }
      }),
    timeoutMs
  )

  it.effect(
    "never throws, and gives nothing but canonical forms, whatever it is given",
    () =>
      Effect.gen(function* () {
        const { account, adapter } = yield* AdapterWorld
        const [first] = yield* adapter.keys.derive(account.key, 0, 1)
        const texts = fc.oneof(fc.string(), fc.string({ unit: "binary" }), altered(first?.address ?? "-"))
        fc.assert(
          fc.property(texts, (text) => {
            const parsed = adapter.parseAddress(text)
            if (Result.isFailure(parsed)) return
            assert.strictEqual(Result.getOrThrow(adapter.parseAddress(parsed.success)), parsed.success)
          })
        )
      }),
    timeoutMs
  )
}
