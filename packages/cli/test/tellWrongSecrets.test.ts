import { tellWrongPepper, tellWrongSecretsKey } from "@bursar/cli/assemble/tellWrongSecrets"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import { Writer } from "@bursar/core/engine/Writer"
import * as WriterLive from "@bursar/core/engine/Writer"
import { SecretBox } from "@bursar/core/port/SecretBox"
import { addEndpoint } from "@bursar/core/webhook/endpointCommands"
import * as Memory from "@bursar/memory"
import { makeKey } from "@bursar/server/keys/makeKey"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { layer as layerBox } from "@bursar/vault/MasterKeySecretBox"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, Result } from "effect"

const world = WriterLive.layer.pipe(Layer.provideMerge(Memory.layer))

/** The events that are logged meanwhile. */
const eventsOf = <E, R>(effect: Effect.Effect<void, E, R>) =>
  Effect.suspend(() => {
    const logged: Array<string> = []
    return Effect.as(
      Effect.provide(
        effect,
        Logger.layer([Logger.map(Logger.formatStructured, ({ message }) => void logged.push(String(message)))])
      ),
      logged
    )
  })

it.effect("a KEY_PEPPER under which no API key was made is told, and none where there are no keys", () =>
  Effect.gen(function* () {
    const [right, wrong] = [Redacted.make("right".repeat(8)), Redacted.make("wrong".repeat(8))]
    assert.deepStrictEqual(yield* eventsOf(tellWrongPepper(wrong)), [])
    const tenant = yield* newTenant()
    const { record } = yield* makeKey({ prefix: "bursar", tenant, label: "t", scopes: ["whoami:read"], pepper: right })
    yield* (yield* Writer).submit(tenant.id, addApiKey(record))
    assert.deepStrictEqual(yield* eventsOf(tellWrongPepper(wrong)), ["key_pepper.fits_no_key"])
    assert.deepStrictEqual(yield* eventsOf(tellWrongPepper(right)), [])
    // one that was made under the wrong one since says nothing against the right one
    const later = yield* makeKey({ prefix: "bursar", tenant, label: "t", scopes: ["whoami:read"], pepper: wrong })
    yield* (yield* Writer).submit(tenant.id, addApiKey(later.record))
    assert.deepStrictEqual(yield* eventsOf(tellWrongPepper(right)), [])
  }).pipe(Effect.provide(world))
)

it.effect("a SECRETS_KEY that opens no secret of an endpoint is told, and none where there are no endpoints", () =>
  Effect.gen(function* () {
    const box = (fill: number) =>
      layerBox(Result.getOrThrow(parseMasterKeys(Redacted.make(`s1:${Buffer.alloc(32, fill).toString("base64")}`))))
    const told = (fill: number) => eventsOf(Effect.provide(tellWrongSecretsKey, box(fill)))
    assert.deepStrictEqual(yield* told(2), [])
    const { id } = yield* newTenant()
    const secret = yield* Effect.provide(
      Effect.flatMap(SecretBox, ({ seal }) => seal(id, Redacted.make("whsec_1"))),
      box(1)
    )
    yield* (yield* Writer).submit(id, addEndpoint({ url: "https://example.com", kinds: null, secret }))
    assert.deepStrictEqual(yield* told(2), ["secrets_key.opens_nothing"])
    assert.deepStrictEqual(yield* told(1), [])
  }).pipe(Effect.provide(world))
)
