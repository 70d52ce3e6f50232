import type { Grant } from "@bursar/core/grant/Grant"
import { Grant as GrantRecord } from "@bursar/core/grant/Grant"
import { grantHash } from "@bursar/core/grant/grantHash"
import { Grants, layer as layerGrants } from "@bursar/core/grant/Grants"
import { toIso } from "@bursar/core/base/Timestamp"
import * as Writer from "@bursar/core/engine/Writer"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Vault } from "@bursar/core/port/Vault"
import { layer as layerPostgres } from "@bursar/postgres"
import * as SignerClient from "@bursar/signer/rpc/SignerClient"
import { parseSignerAddress } from "@bursar/signer/SignerAddress"
import { approvedBy, documentOn, testApprover, testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { layerNetworks } from "../../src/assemble/adapters.ts"
import { layerVault } from "../../src/assemble/vault.ts"
import { expectAnswer } from "../support/calls.ts"
import { environmentFor } from "../support/environmentFor.ts"
import { localCurrencies } from "../support/localCurrencies.ts"
import { freshAddress } from "../support/payer.ts"
import { signingPair } from "../support/signedPayouts.ts"
import { sqlOn } from "../support/world.ts"
import { type Attack, type Attacker, stole } from "./Attack.ts"
import type { Attacked } from "./AttackedService.ts"
import { issuedAddress } from "./byDatabase.ts"

const currencies = localCurrencies

/** What the server has: its part of the environment, and the database as its own role. */
const portsOf = ({ as, networks }: Pick<Attacked, "as" | "networks">) =>
  Writer.layer.pipe(
    Layer.provideMerge(
      layerNetworks(networks, currencies).pipe(
        Layer.provideMerge(layerPostgres({ url: Redacted.make(as.serve), maxConnections: 2 }))
      )
    )
  )

/** Does something as the server, in whose process somebody is. */
const asServer = <A, E, R>(attacked: Attacked, effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, portsOf(attacked))

/** All texts of 32 bytes that an environment has anywhere, as master keys of the name that the vault's has. */
const keysIn = (env: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.values(env)
    .flatMap((value) => value.split(/[^A-Za-z0-9+/=_-]/u))
    .flatMap((text) => [Buffer.from(text, "base64"), Buffer.from(text), Buffer.from(text, "hex")])
    .flatMap((bytes) => (bytes.length < 32 ? [] : [`test:${bytes.subarray(0, 32).toString("base64")}`]))

const readsKeys: Attack = {
  title: "opens the vault with all that the server has, and has the signer sign a payment to itself",
  prepare: (attacked) =>
    Effect.sync(() => {
      const { alarm, env, token, victim } = attacked
      const { address, key } = walletOf(victim)
      const opens = (masterKeys: string) =>
        Effect.gen(function* () {
          const vault = yield* Vault
          return yield* vault.publicKey(key)
        }).pipe(Effect.provide(layerVault({ currencies, masterKeys: Redacted.make(masterKeys) })), Effect.isSuccess)
      return Effect.gen(function* () {
        const own = environmentFor("serve", { ...env, DATABASE_URL: attacked.as.serve })
        const tried = keysIn(own)
        const opened = yield* asServer(attacked, Effect.forEach([...tried, env.VAULT_MASTER_KEY], opens))
        // only the signer's key does
        if (tried.length === 0 || opened.indexOf(true) !== tried.length)
          return yield* Effect.die(new Error(`what opens the vault: ${JSON.stringify(opened)}`))
        const thief = freshAddress()
        const signer = { address: Result.getOrThrow(parseSignerAddress(own["SIGNER"] ?? "")) }
        const signed = yield* Effect.gen(function* () {
          const { sender } = adapterOf(yield* Networks, "ethereum")
          const sequence = (yield* sender.firstSequence(address)) ?? 0n
          const { bytes } = yield* sender.build({
            from: address,
            guard: { _tag: "Sequence", account: address, sequence },
            payments: [{ to: thief, contract: token.address.toLowerCase(), units: 900_000_000n, memo: null }],
            validUntil: (yield* Clock.currentTimeMillis) + 600_000,
            salt: 1,
            drain: false,
            replacing: null
          })
          const asked = {
            tenantId: victim.id,
            network: "ethereum",
            unsigned: bytes,
            signers: [{ address, key }],
            requests: []
          }
          const { sign } = yield* TransactionSigner
          // that the receiver is a key of the tenant's own, which may be paid, is the server's word
          const claims = [[], [{ address: thief, key }]]
          return yield* Effect.forEach(claims, (own_) => Effect.isSuccess(sign({ ...asked, own: own_ })))
        }).pipe(Effect.provide(SignerClient.layerTransactionSigner(signer)), (asking) => asServer(attacked, asking))
        if (signed.includes(true)) return yield* Effect.die(new Error("the signer has signed"))
        yield* stole(attacked, [thief])
        return yield* alarm("signer", "signing.refused", victim.id, "comes with 0 signed requests")
      })
    })
}

/** A tenant's wallet, and its key in the vault. */
const walletOf = ({ id, wallet }: Attacked["victim"]) => {
  const { address, seedId } = wallet
  if (seedId === null) throw new Error("the wallet's key is in no seed")
  return { address, key: { _tag: "Wallet", tenantId: id, seedId, network: "ethereum", index: 0 } } as const
}

const ownKey: Attack = {
  title: "writes a signing key of its own into the database, and a payout that it has signed",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, openKey, price, victim } = attacked
      const { id: apiKeyId } = yield* openKey(victim.id)
      return Effect.gen(function* () {
        const thief = freshAddress()
        const { keyid } = yield* asServer(
          attacked,
          Effect.gen(function* () {
            const own = yield* signingPair({ id: victim.id, apiKeyId, network: "ethereum" })
            yield* own.pay(price.currency, price.amount, thief)
            return own
          })
        )
        const said = yield* alarm("signer", "signing.refused", keyid)
        yield* stole(attacked, [thief])
        return said
      })
    })
}

const forgedOperation: Attack = {
  title: "takes a partner's signed request in, and writes down another receiver with its jobs",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, ports, sql, victim } = attacked
      const [honest, thief] = [freshAddress(), freshAddress()]
      const payout = yield* Effect.provide(victim.ask(honest), ports)
      return Effect.gen(function* () {
        const redirected = { ...payout, order: { ...payout.order, to: thief } }
        const { id } = yield* asServer(attacked, victim.bookIn(redirected))
        const said = yield* alarm("signer", "signing.refused", "nobody asked to pay", thief)
        yield* stole(attacked, [thief, honest])
        yield* sql`delete from job where key like ${`%${id}%`}`
        return said
      })
    })
}

const otherAddress: Attack = {
  title: "changes the deposit address that customers are shown, and what it was issued from",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, as, sql, victim } = attacked
      const { address, addressId, calls, restore } = yield* issuedAddress(attacked)
      const [list = victim.call("/v1/deposit-addresses")] = calls
      const thief = freshAddress()
      const write = Effect.flatMap(sqlOn(as.serve), (own) =>
        Effect.andThen(
          own`update address set address = ${thief} where address_id = ${addressId}`,
          own`update issuing_account set account_key = account_key || 'x' where tenant_id = ${victim.id}`
        )
      )
      return Effect.gen(function* () {
        yield* Effect.scoped(write)
        yield* expectAnswer(list, 503, "provider_unavailable")
        const said = yield* alarm("server", "address.forged", thief)
        yield* restore
        yield* sql`update issuing_account set account_key = rtrim(account_key, 'x') where tenant_id = ${victim.id}`
        const { body } = yield* expectAnswer(list, 200)
        const shown: ReadonlyArray<{ readonly address: string }> = body.addresses
        if (!shown.some((one) => one.address === address))
          return yield* Effect.die(new Error(`${address} is not shown`))
        return said
      })
    })
}

const ownGrant: Attack = {
  title: "writes a grant of its own signing key, as if two people had approved it",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { alarm, approvers, openKey, price, sql, victim } = attacked
      const { id: apiKeyId } = yield* openKey(victim.id)
      return Effect.gen(function* () {
        const thief = freshAddress()
        const strangers = [yield* testApprover("ann", 7), yield* testApprover("bob", 8)]
        yield* asServer(
          attacked,
          Effect.gen(function* () {
            const own = yield* signingPair({ id: victim.id, apiKeyId, network: "ethereum" })
            const { keyid, publicKey } = own
            const values = { api_key_id: apiKeyId, keyid, public_key: publicKey, state: "ACTIVE" } as const
            const { stateOf } = yield* Grants
            const now = yield* Clock.currentTimeMillis
            const moments = { proposed_at: toIso(now - 3_600_000), expires_at: toIso(now + 3_600_000) }
            const document = { ...documentOn(yield* stateOf(victim.id), "signing_key", values), ...moments }
            const entry = yield* approvedBy(document, strangers)
            const number = Number(document.number)
            const hash = yield* grantHash(entry.document)
            const one: Grant = { ...entry, recordedAt: now, number, hash, proposalId: null }
            const { submit } = yield* Writer.Writer
            yield* submit(victim.id, {
              name: "Append",
              reads: [readRecord(GrantRecord, number)],
              decide: () => Result.succeed({ changes: [putRecord(GrantRecord, one)], reply: undefined })
            })
            yield* own.pay(price.currency, price.amount, thief)
          }).pipe(Effect.provide(layerGrants(testTrust(testRoot(approvers, 2)))))
        )
        const said = yield* alarm("worker", "payout.deferred", victim.id, "does not hold")
        yield* stole(attacked, [thief])
        // what the owner of the database does then: nobody else can take a grant out
        yield* sql.withTransaction(
          Effect.andThen(
            sql`set local session_replication_role = replica`,
            sql`delete from grant_entry where tenant_id = ${victim.id}
              and number = (select max(number) from grant_entry where tenant_id = ${victim.id})`
          )
        )
        return said
      })
    })
}

/** Whoever has the process that answers partners: its environment, its memory, and its role of the database. */
export const byServer: Attacker = {
  attacker: "whoever has the HTTP process",
  writes: true,
  attacks: [readsKeys, ownKey, forgedOperation, otherAddress, ownGrant]
}
