import { issueAddresses } from "@bursar/core/address/issueAddresses"
import * as Writer from "@bursar/core/engine/Writer"
import * as ShownAddresses from "@bursar/core/granting/ShownAddresses"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Network } from "@bursar/core/money/Network"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
// storage of no interest here, which the program itself does not depend on
import * as Memory from "../../storage/memory/src/index.ts"
import { idleNodes, layerNetworksAlone } from "./support/idleNodes.ts"

const { networks: table } = defaultCurrencies
const id = TenantId("019845e1-682f-7b02-a706-3b2422d13aec")
const seedId = "019845e1-682f-7b02-a706-3b2422d13aab"

/** Public accounts of the mnemonic "abandon × 11 about"; nobody uses them. */
const accounts: ReadonlyArray<readonly [Network, string]> = [
  [
    "ethereum",
    "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"
  ],
  [
    "tron",
    "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd"
  ],
  [
    "bitcoin",
    "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V"
  ],
  ["stellar", "GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX"]
]

const ports = Writer.layer.pipe(Layer.provideMerge(Memory.layer))

/** Issues the first two addresses of an account while the network is on. */
const issue = Effect.fnUntraced(
  function* (network: Network, accountKey: string) {
    const { accountKeyName, derive } = adapterOf(yield* Networks, network).keys
    const addresses = yield* derive(accountKey, 0, 2)
    const prederived = { seedId, accountKey, accountName: accountKeyName(accountKey), from: 0, addresses }
    const { submit } = yield* Writer.Writer
    return yield* submit(id, issueAddresses({ network, reference: "r", count: 2, prederived }, table))
  },
  Effect.provide(layerNetworksAlone(idleNodes, defaultCurrencies))
)

const tenant = {
  id,
  slug: "t",
  name: "t",
  kind: "LIVE",
  status: "ACTIVE",
  policy: defaultPolicy,
  createdAt: 1_700_000_000_000
} as const

describe("a process without a node of any network", () => {
  for (const [network, accountKey] of accounts) {
    it.effect(`shows what was issued on ${network} before, and nothing that does not follow from the account`, () =>
      Effect.gen(function* () {
        yield* (yield* Tenants).create(tenant)
        const { addresses } = yield* issue(network, accountKey)
        const { verify, verifyNamed } = yield* ShownAddresses.make(table)
        yield* verify(id, addresses)
        yield* verifyNamed(id, addresses)
        const forged = addresses.map((one) => ({ ...one, derivationIndex: 7 }))
        assert.strictEqual((yield* Effect.flip(verify(id, forged)))._tag, "AddressForged")
      }).pipe(Effect.provide(layerNetworksAlone([], defaultCurrencies)), Effect.provide(ports))
    )
  }
})
