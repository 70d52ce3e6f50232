import { readHandshakeAt } from "@bursar/cli/config/Handshake"
import { targetOf } from "@bursar/cli/commands/operator"
import { assert, describe, it } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem, Option } from "effect"

const planted = { operator_url: "https://thief.example", operator_token: "planted" }

describe("the token of a command", () => {
  const some = Option.some
  const none = Option.none<string>()
  const told = (...given: Parameters<typeof targetOf>) => Option.getOrNull(targetOf(...given))

  it("goes from the environment only to the port that is named beside it, whatever a handshake says", () => {
    const ours = { baseUrl: "https://ours.example", token: "secret" }
    assert.deepStrictEqual(told(some("https://ours.example"), some("secret"), some(planted)), ours)
    assert.deepStrictEqual(told(some("https://ours.example"), some("secret"), Option.none()), ours)
  })

  it("is the handshake's own where the handshake names the port", () => {
    const own = { baseUrl: "https://thief.example", token: "planted" }
    assert.deepStrictEqual(told(none, some("secret"), some(planted)), own)
    assert.deepStrictEqual(told(none, none, some(planted)), own)
    assert.deepStrictEqual(told(some("https://thief.example"), none, some(planted)), own)
  })

  it("is none where port and token do not belong together", () => {
    assert.isNull(told(some("https://ours.example"), none, some(planted)))
    assert.isNull(told(none, some("secret"), Option.none()))
    assert.isNull(told(none, none, Option.none()))
  })
})

describe("a handshake", () => {
  const file = {
    partner_url: "http://127.0.0.1:1",
    operator_url: "http://127.0.0.1:2",
    operator_token: "t",
    service_name: "service",
    database_url: "postgres://localhost/x",
    tenants: [],
    networks: {
      ...Object.fromEntries(
        ["ethereum", "bsc", "base"].map((network) => [network, { rpc_url: "r", funded_key: "k", control_url: "c" }])
      ),
      bitcoin: { rpc_url: "r", control_url: "c" },
      tron: { url: "u", control_url: "c" },
      stellar: { horizon_url: "h", rpc_url: "r", network_passphrase: "p", control_url: "c" }
    },
    grants: null,
    sandbox: { control_url: "c" }
  }

  /** Reads a handshake that was left with this mode, in a directory of its own. */
  const readWith = (mode: number) =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${directory}/dev.json`, JSON.stringify(file))
      yield* files.chmod(`${directory}/dev.json`, mode)
      return yield* readHandshakeAt(`${directory}/dev.json`)
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))

  it.effect("is believed where it is its user's alone", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(Option.getOrNull(Option.map(yield* readWith(0o600), (read) => read.operator_token)), "t")
    })
  )

  it.effect("is not believed where others can read or write it", () =>
    Effect.gen(function* () {
      for (const mode of [0o644, 0o640, 0o620, 0o602]) assert.isTrue(Option.isNone(yield* readWith(mode)), String(mode))
    })
  )
})
