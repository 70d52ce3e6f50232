import { leafSecrets } from "@bursar/api/solvency/leafSecrets"
import { canonicalJson } from "@bursar/api/solvency/canonicalJson"
import { makeSnapshot } from "@bursar/api/solvency/makeSnapshot"
import { solvencyFormat } from "@bursar/api/solvency/preimages"
import type { ReserveClaim } from "@bursar/api/solvency/reserveMessage"
import type { Reserve, SolvencyCommitment, Statement, UnreadAddress } from "@bursar/api/solvency/SolvencySnapshot"
import type { Environment } from "@bursar/core/base/Environment"
import { toIso } from "@bursar/core/base/Timestamp"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { type CurrencyTable, decimalsOf } from "@bursar/core/money/Currency"
import { Networks } from "@bursar/core/port/Networks"
import type { KeyRef } from "@bursar/core/port/Vault"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { Tenants } from "@bursar/core/port/Tenants"
import { everyTenant } from "@bursar/core/port/TenantList"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { SolvencyStore, type StoredSnapshot } from "@bursar/core/solvency/SolvencyStore"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { noteAction } from "../middleware/actionNotes.ts"
import { type ShownCurrencies, shownCurrencies } from "../wire/shownCurrencies.ts"
import { growTrees, hmacSha256 } from "./growTrees.ts"
import { readDocument } from "./readDocument.ts"
import { type HeldAt, readHoldings } from "./readHoldings.ts"
import { makeReserveAddresses, type ReserveAddress } from "./reserveAddresses.ts"
import { digestNote } from "./verifyStored.ts"

/** What a snapshot is taken of. */
export interface SnapshotToTake {
  readonly environment: Environment
  readonly statements: ReadonlyArray<Statement>
  readonly takenBy: string
}

/** An address with what it held. */
interface ReadReserve extends ReserveAddress {
  readonly reserve: Omit<Reserve, "proof" | "unproven">
}

type Place = Pick<ReserveAddress, "address" | "network">

const concurrency = 4
const secretBytes = 32

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const byPlace = (one: Place, other: Place): number =>
  byText(one.network, other.network) || byText(one.address, other.address)

const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** The currencies that anything of a snapshot is in, in the order of their codes. */
const currenciesOf = (
  shownIn: ShownCurrencies["shownIn"],
  all: ReadonlyArray<{ readonly currency: string }>
): Effect.Effect<SolvencyCommitment["currencies"], StorageError> => {
  const codes = [...new Set(all.map(({ currency }) => currency))].toSorted(byText)
  return Effect.map(shownIn(codes), (shown) =>
    codes.map((currency) => ({ currency, decimals: decimalsOf(shown, currency) }))
  )
}

/** Takes snapshots of what all tenants are owed and of what is there, and has the record of the action name their digests. */
export const makeTakeSnapshot = Effect.fnUntraced(function* ({
  currencies,
  serviceName
}: {
  readonly currencies: CurrencyTable
  readonly serviceName: string
}) {
  const { shownIn } = yield* shownCurrencies
  const networks = yield* Networks
  const positions = yield* Positions
  const prover = yield* ReserveProver
  const queries = yield* Queries
  const store = yield* SolvencyStore
  const tenants = yield* Tenants
  const addressesOf = makeReserveAddresses(queries, store, networks)

  /** What the addresses of a network hold, and those that could not be read. */
  const readNetwork = Effect.fnUntraced(function* (network: string, all: ReadonlyArray<ReserveAddress>) {
    const adapter = networks.get(network)
    const addresses = all.map(({ address }) => address)
    const held =
      adapter === undefined ? new Map<string, HeldAt>() : yield* readHoldings(adapter, addresses, currencies, positions)
    const reason =
      adapter === undefined ? "The network has no node." : "What it holds could not be read at that moment."
    const reserves = all.flatMap((one): ReadonlyArray<ReadReserve> => {
      const found = held.get(one.address)
      if (found === undefined || adapter === undefined) return []
      const { assets, block } = found
      const holdings = assets
        .toSorted((left, right) => byText(left.currency, right.currency))
        .map(({ contract, currency, units }) => ({ currency, contract, units: String(units) }))
      const { address } = one
      const at = { block_number: block.number, block_hash: block.hash }
      return [{ ...one, reserve: { network, chain_id: adapter.chainId, address, ...at, holdings } }]
    })
    const unread = addresses
      .filter((address) => !held.has(address))
      .map((address): UnreadAddress => ({ network, address, reason }))
    return { reserves, unread }
  })

  /** The addresses of all tenants of an environment, with what they hold. */
  const readReserves = Effect.fnUntraced(function* (environment: Environment) {
    const all = yield* everyTenant(tenants.list)
    const own = all.filter(({ id, kind }) => id !== fleetTenantId && kind === environment)
    const addresses = yield* addressesOf(own.map(({ id }) => id))
    const read = yield* Effect.forEach(
      Map.groupBy(addresses, ({ network }) => network),
      ([network, some]) => readNetwork(network, some),
      { concurrency }
    )
    return {
      unread: read.flatMap(({ unread }) => unread).toSorted(byPlace),
      reserves: read
        .flatMap(({ reserves }) => reserves)
        .filter(({ reserve }) => reserve.holdings.length > 0)
        .toSorted(byPlace)
    }
  })

  /** Has a key sign; says why it does not. */
  const proofBy = (key: KeyRef, claim: ReserveClaim) =>
    prover.prove({ key, ...claim }).pipe(
      Effect.map((proof) => ({ proof, unproven: null })),
      Effect.catchTags({
        ProofRefused: ({ reason }) => Effect.succeed({ proof: null, unproven: reason }),
        VaultError: ({ message }) =>
          Effect.as(
            Effect.annotateLogs(Effect.logError("vault.failed"), { detail: message }),
            // what a custody says of itself is for the log
            { proof: null, unproven: "The key could not be used at that moment." }
          )
      })
    )

  /** Has the key of an address sign, whichever tenant's it is; where none does, the snapshot says why. */
  const proven = Effect.fnUntraced(function* ({ keys, reserve }: ReadReserve, claim: ReserveClaim) {
    let last: Pick<Reserve, "proof" | "unproven"> = { proof: null, unproven: "The key of the address is not here." }
    for (const key of keys) {
      last = yield* proofBy(key, claim)
      if (last.proof !== null) break
    }
    return { ...reserve, ...last } satisfies Reserve
  })

  const take = Effect.fn("solvency.takeSnapshot")(function* ({ environment, statements, takenBy }: SnapshotToTake) {
    const id = randomUUID()
    const secret = randomBytes(secretBytes)
    const takenAt = yield* Clock.currentTimeMillis
    const orderKey = hex(leafSecrets(secret, hmacSha256).orderKey(id))
    const { trees, unattributed } = yield* growTrees(store.owed({ environment, orderKey }), {
      snapshotId: id,
      secret,
      keep: (part) => store.addNodes(id, part)
    })
    const { reserves, unread } = yield* readReserves(environment)
    const nobodys = [...unattributed]
      .toSorted(([one], [other]) => byText(one, other))
      .map(([currency, units]) => ({ currency, units: String(units) }))
    const committed: SolvencyCommitment = {
      format: solvencyFormat,
      snapshot_id: id,
      service: serviceName,
      environment,
      taken_at: toIso(takenAt),
      currencies: yield* currenciesOf(shownIn, [
        ...trees,
        ...nobodys,
        ...reserves.flatMap(({ reserve }) => reserve.holdings),
        ...statements
      ]),
      liabilities: trees.map(({ currency, depth, leaves, root, total }) => ({
        currency,
        leaves,
        depth,
        root: hex(root),
        total: String(total)
      })),
      unattributed: nobodys
    }
    const document = yield* makeSnapshot(committed, {
      statements,
      unread,
      sign: prover.signDocument,
      reserves: (claimOf) => Effect.forEach(reserves, (one) => proven(one, claimOf(one)), { concurrency })
    })
    const made = { id, environment, takenAt, takenBy, document: canonicalJson(document) }
    // one that cannot be read must not be stored: nothing takes it away again
    yield* readDocument(made.document)
    // before it is stored: it may be, though no answer comes
    yield* noteAction({ snapshot_id: id, [digestNote(id)]: document.digest })
    yield* store.add(made)
    return { stored: { ...made, published: null } satisfies StoredSnapshot, document }
  })

  return take
})
