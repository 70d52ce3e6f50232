import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { addSigningKey, revokeSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { emptyState } from "@bursar/memory"
import { assert, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { directoryTtlDefault, ServerConfig } from "../../src/config/ServerConfig.ts"
import * as Directory from "../../src/keys/Directory.ts"
import { makeSeeder, portsOver, settings } from "../support/Partner.ts"
import { idOfKey } from "../support/signing.ts"

const environment = Layer.suspend(() => {
  const ports = portsOver(emptyState())
  const config = Layer.succeed(ServerConfig, { ...settings, directoryTtl: directoryTtlDefault })
  return Directory.layer.pipe(Layer.provideMerge(Layer.merge(ports, config)))
})

it.effect("a process believes what it read of a signing key for less than the five seconds of a revocation", () =>
  Effect.gen(function* () {
    const seeder = yield* makeSeeder
    const directory = yield* Directory.Directory
    const tenant = yield* seeder.tenant()
    const apiKeyId = idOfKey(yield* seeder.key(tenant))
    const { keyid, publicJwk } = yield* generateSigningKey
    const known = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(directory.signingKey(tenant, apiKeyId, keyid, now), (key) => key !== undefined)
    )
    assert.isFalse(yield* known)
    yield* seeder.submit(tenant, addSigningKey({ apiKeyId, keyid, publicKey: publicJwk.x }))
    assert.isTrue(yield* known, "a new key is known at once")
    yield* seeder.submit(tenant, revokeSigningKey(keyid, null))
    const ttl = Duration.toMillis(Duration.fromInputUnsafe(directoryTtlDefault))
    assert.isBelow(ttl, 5_000)
    yield* TestClock.adjust(ttl - 1)
    assert.isTrue(yield* known)
    yield* TestClock.adjust(1)
    assert.isFalse(yield* known)
  }).pipe(Effect.provide(environment))
)
