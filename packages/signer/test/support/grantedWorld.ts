import { generateSigningKey, importPublicKey } from "@bursar/api/signature/Ed25519"
import { makeSigner } from "@bursar/api/signature/signRequest"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import { StorageError } from "@bursar/core/engine/StorageError"
import type { Grant } from "@bursar/core/grant/Grant"
import { fleetKinds, type GrantKind, type GrantValues } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import type { GrantRoot } from "@bursar/core/grant/GrantRoot"
import { grantedLimits } from "@bursar/core/grant/GrantState"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { fleetGenesis, tenantGenesis, verifyFleet, verifyTenant } from "@bursar/core/grant/verifyChain"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { Payment } from "@bursar/core/port/ChainSender"
import { SigningView } from "@bursar/core/port/SigningView"
import { type KeyedAddress, type SigningRequest, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { type KeyRef, Vault } from "@bursar/core/port/Vault"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import {
  limitsOfGrants,
  tellingLimits,
  tellingQuorums,
  makeGrantWitness,
  makeKeptGrants,
  makeTenantsLook,
  openStore,
  RememberingSigner,
  type StoreWord,
  lookForRollback
} from "@bursar/signer"
import { layerFakeNetworks, makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import {
  approvedBy,
  documentOn,
  type TestApprover,
  testApprover,
  testRoot,
  testTrust
} from "@bursar/testkit/fixtures/grants"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import * as SealedSigner from "@bursar/vault/SealedSigner"
import * as SealedVault from "@bursar/vault/SealedVault"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { givesUp } from "./givesUp.ts"

const masterKeys = Result.getOrThrow(parseMasterKeys(Redacted.make(`k:${Buffer.alloc(32, 1).toString("base64")}`)))

/** A token that the tests pay with. */
export const contract = defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null

interface Written {
  readonly payments: ReadonlyArray<Omit<Payment, "units"> & { readonly units: string }>
  readonly signers: ReadonlyArray<string>
  readonly sequence: number
}

/** A network whose transactions are written as JSON. */
const network = makeFakeNetwork("ethereum", {
  parseAddress: Result.succeed,
  keys: { addressesOf: (publicKey) => [Buffer.from(publicKey).toString("hex")] },
  codec: {
    network: "ethereum",
    read: (unsigned) => {
      const read: Written = JSON.parse(Buffer.from(unsigned).toString())
      return Result.succeed({
        payments: read.payments.map((payment) => ({ ...payment, units: BigInt(payment.units) })),
        feeMax: 1n,
        digests: read.signers.map((address) => ({ address, digest: new Uint8Array(32).fill(7) })),
        guard: { _tag: "Sequence", account: read.signers[0] ?? "", sequence: BigInt(read.sequence) },
        validUntil: null
      })
    },
    readSigned: () => Result.fail("nothing is read again"),
    finish: (unsigned) => Result.succeed({ hash: Buffer.from(unsigned).toString("base64"), raw: unsigned })
  }
})

/** What a signer of these tests stands on: a database in memory, and a vault. */
export const services = SealedVault.layer(masterKeys, presetNetworks).pipe(
  Layer.provideMerge(Layer.mergeAll(Layer.fresh(Memory.layer), layerFakeNetworks([network])))
)

const view = SigningView.of({
  progress: () => Effect.succeed({ changeSeq: 1n, eventId: 1n, postingSeq: 1n }),
  progressOfAll: Effect.succeed(new Map()),
  onPrimary: (effect) => effect,
  newestSignatures: () => Effect.succeed([]),
  openSignatures: () => Effect.succeed([]),
  answeredRequests: () => Effect.succeed([])
})

const standby = new StorageError({ doing: "read", cause: new Error("a standby answered") })

/** Chains of grants as rows that whoever has the database may change, from a root with such quorums, and people who approve grants. */
export const openChainsFrom = Effect.fnUntraced(function* (quorums: GrantRoot["quorums"]) {
  const [ann, bob, cleo] = [
    yield* testApprover("ann", 1),
    yield* testApprover("bob", 2),
    yield* testApprover("cleo", 3)
  ]
  const trust = testTrust({ ...testRoot([ann, bob, cleo], 2), quorums })
  const rows = new Map<TenantId | null, Array<Grant>>()
  const rowsOf = (chain: TenantId | null) => {
    const found = rows.get(chain) ?? []
    rows.set(chain, found)
    return found
  }
  /** Appends what two people approve to its chain, by the approvers of now, or of when the fleet's chain was shorter. */
  const grant = Effect.fnUntraced(function* <K extends GrantKind>(
    tenantId: TenantId,
    kind: K,
    values: GrantValues<K>,
    by: ReadonlyArray<TestApprover> = [ann, bob],
    naming = rowsOf(null).length,
    at = Date.now()
  ) {
    const fleet = yield* verifyFleet(trust, rowsOf(null), yield* fleetGenesis(trust.root))
    const known = yield* tenantGenesis(trust.root, tenantId)
    const tenant = yield* verifyTenant(trust, { tenantId, fleet, entries: rowsOf(tenantId), known })
    const document = documentOn({ fleet, tenant }, kind, values, at)
    const named = { number: String(naming), hash: fleet.hashes[naming] ?? "" }
    const entry = yield* approvedBy(document.fleet === null ? document : { ...document, fleet: named }, by)
    const chain = rowsOf(fleetKinds.has(kind) ? null : tenantId)
    chain.push({
      ...entry,
      recordedAt: at,
      number: chain.length + 1,
      hash: yield* grantHash(entry.document),
      proposalId: null
    })
  })
  const store = GrantStore.of({
    after: (chain, number, limit) => Effect.sync(() => rowsOf(chain).slice(number, number + limit)),
    ends: Effect.sync(() =>
      [...rows].flatMap(([tenantId, { length }]) =>
        tenantId === null || length === 0 ? [] : { tenantId, number: length }
      )
    ),
    proposals: () => Effect.succeed([]),
    proposal: () => Effect.succeed(undefined)
  })
  /** One person removes another from the approvers. */
  const remove = (tenantId: TenantId, gone: TestApprover, by: TestApprover) => {
    const approvers = trust.root.approvers.filter(({ id }) => id !== gone.approver.id)
    return grant(tenantId, "approvers", { approvers, quorum: "2", quorums: {} }, [by])
  }
  return { ann, bob, cleo, trust, rowsOf, set: rows.set.bind(rows), grant, remove, store }
})

/** The same, from a root with one quorum. */
export const openChains = openChainsFrom({})

/** Chains of grants as rows, and people who approve grants. */
export type Chains = Effect.Success<typeof openChains>

/** A directory that is gone with the scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "signer-grants-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Starts the signer over some chains, with its store in a directory. It holds the store until the scope closes. */
export const openSigner = Effect.fnUntraced(function* (
  chains: Pick<Chains, "trust" | "store">,
  directory: string,
  word?: StoreWord
) {
  const store = yield* openStore({ directory, ...(word && { word }) }, view)
  const kept = yield* makeKeptGrants({ trust: chains.trust, chains: chains.store, store })
  const grants = tellingQuorums(tellingLimits(kept, defaultCurrencies))
  const layer = RememberingSigner.layer({
    currencies: defaultCurrencies,
    store,
    grantedLimits: (tenantId) => {
      const seen = grants.lastSeen(tenantId)
      return seen && limitsOfGrants(grantedLimits(seen), defaultCurrencies)
    }
  }).pipe(
    Layer.provide(SealedSigner.layer(masterKeys, { currencies: defaultCurrencies, grants })),
    Layer.provide(Layer.succeed(SigningView, view))
  )
  const context = yield* Layer.build(layer)
  return {
    ...(yield* Effect.provide(TransactionSigner, context)),
    lookAtFleet: grants.fleet,
    lookAtTenants: makeTenantsLook({ grants, chains: chains.store, store }),
    ...makeGrantWitness({ grants, store })
  }
})

/** A person says to the signer's store that the database was restored, and gives up so many things: whether that was all. */
export const restored = Effect.fnUntraced(function* (chains: Pick<Chains, "store">, directory: string, givingUp = 1) {
  return yield* givesUp(yield* openStore({ directory }, view), givingUp).pipe(
    Effect.provideService(SigningView, view),
    Effect.provideService(GrantStore, chains.store),
    Effect.map(({ isTaken }) => isTaken)
  )
}, Effect.scoped)

/** What the signer sees at its start of a database that was rolled back; undefined where it sees nothing. A standby answers where that is said. */
export const rollbackSeen = Effect.fnUntraced(function* (
  chains: Pick<Chains, "store">,
  directory: string,
  { isStandby = false } = {}
) {
  const store = yield* openStore({ directory }, view)
  const fromStandby = { ...view, onPrimary: () => Effect.fail(standby) }
  yield* Effect.provideService(lookForRollback(store), SigningView, isStandby ? fromStandby : view).pipe(
    Effect.provideService(GrantStore, chains.store),
    Effect.catchTag("StorageError", () => Effect.void)
  )
  return store.register.rolledBack()?.what
}, Effect.scoped)

/** The signer of a world. */
export type OpenSigner = Effect.Success<ReturnType<typeof openSigner>>

let requests = 0

/** A key that somebody signs requests with. */
export const requester = Effect.gen(function* () {
  const { keyid, privateJwk, publicJwk } = yield* generateSigningKey
  const signer = yield* makeSigner(privateJwk)
  const request = Effect.fnUntraced(function* (to: string, at = Date.now()) {
    requests += 1
    const [path, idempotencyKey] = ["/v1/chain-payouts", `request-${requests}`]
    const order = { amount: { amount: "12.5", currency: "USDT_ETH" }, network: "ethereum", reference: "invoice" }
    const body = Buffer.from(JSON.stringify({ ...order, destination: { address: to } }))
    const contentType = "application/json"
    const clock = { ...(yield* Clock.Clock), currentTimeMillis: Effect.succeed(at) }
    const signing = signer.sign({
      method: "POST",
      authority: "localhost",
      path,
      idempotencyKey,
      contentType,
      body
    })
    const signed = yield* Effect.provideService(signing, Clock.Clock, clock)
    const headers: Readonly<Record<string, string>> = {
      "content-type": contentType,
      "idempotency-key": idempotencyKey,
      host: "localhost",
      ...signed
    }
    const { outcome } = yield* verifyRequest(
      { method: "POST", target: path, header: (name) => headers[name], body },
      { isOurs: () => true, findKey: () => importPublicKey(publicJwk), now: at }
    )
    const { signature, signatureBase } = Result.getOrThrow(outcome)
    return { keyid, signature, signatureBase, body: body.toString("base64") } satisfies SigningRequest
  })
  return { keyid, publicKey: publicJwk.x, request }
})

/** A tenant with a wallet whose partner signs requests. Nothing is granted to it yet. */
export const newPartner = Effect.gen(function* () {
  const { id } = yield* newTenant()
  const vault = yield* Vault
  const seedId = yield* vault.createSeed(id)
  const keyed = Effect.fnUntraced(function* (_tag: "Wallet" | "Issued", index: number) {
    const key: KeyRef = { _tag, tenantId: id, seedId, network: "ethereum", index }
    const one: KeyedAddress = { key, address: Buffer.from(yield* vault.publicKey(key)).toString("hex") }
    return one
  })
  return { id, keyed, wallet: yield* keyed("Wallet", 0), ...(yield* requester) }
})

/** A tenant with a partner. */
export type Partner = Effect.Success<typeof newPartner>

/** The grant of a partner's key. */
export const keyValues = (
  { keyid, publicKey }: Pick<Partner, "keyid" | "publicKey">,
  state: "ACTIVE" | "REVOKED" = "ACTIVE"
) => ({ api_key_id: "key", keyid, public_key: publicKey, state })

/** The grant of a wallet. */
export const walletValues = ({ address }: KeyedAddress, state: "ACTIVE" | "REVOKED" = "ACTIVE") =>
  ({ network: "ethereum", role: "PAYOUT", address, state }) as const

/** A tenant to which everything is granted that its payouts take. */
export const grantedPartner = Effect.fnUntraced(function* ({ grant }: Pick<Chains, "grant">) {
  const partner = yield* newPartner
  yield* grant(partner.id, "policy", policyValues({ kind: "LIVE", policy: defaultPolicy }))
  yield* grant(partner.id, "signing_key", keyValues(partner))
  yield* grant(partner.id, "payout_wallet", walletValues(partner.wallet))
  return partner
})

let sequence = 0

/** Asks for a transaction that pays somebody, or the tenant's own address. */
export const pay = (
  { sign }: OpenSigner,
  { id, wallet }: Partner,
  given: {
    readonly to: string
    readonly contract?: string | null
    readonly units?: bigint
    readonly requests?: ReadonlyArray<SigningRequest>
    readonly own?: ReadonlyArray<KeyedAddress>
  }
) => {
  const { own = [], requests: all = [], to, units = 12_500_000n } = given
  sequence += 1
  const written: Written = {
    payments: [
      { to, contract: given.contract === undefined ? contract : given.contract, units: `${units}`, memo: null }
    ],
    signers: [wallet.address],
    sequence
  }
  const unsigned = Buffer.from(JSON.stringify(written))
  return sign({ tenantId: id, network: "ethereum", unsigned, signers: [wallet], own, requests: all })
}

/** Pays a receiver what the partner asks for with its key. */
export const payAsked = Effect.fnUntraced(function* (signer: OpenSigner, partner: Partner) {
  return yield* pay(signer, partner, { to: "receiver", requests: [yield* partner.request("receiver")] })
})
