import type { ApiError } from "@bursar/api/errors/ApiError"
import { leafSecrets } from "@bursar/api/solvency/leafSecrets"
import { canonicalJson } from "@bursar/api/solvency/canonicalJson"
import { makeSnapshot } from "@bursar/api/solvency/makeSnapshot"
import { solvencyFormat } from "@bursar/api/solvency/preimages"
import type { ReserveClaim } from "@bursar/api/solvency/reserveMessage"
import type { Reserve, SolvencyCommitment, Statement } from "@bursar/api/solvency/SolvencySnapshot"
import type { Environment } from "@bursar/core/base/Environment"
import { toIso } from "@bursar/core/base/Timestamp"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { Tenants } from "@bursar/core/port/Tenants"
import { SolvencyStore } from "@bursar/core/solvency/SolvencyStore"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { orUnavailable } from "../refusals.ts"
import { growTrees, type GrownTree, hmacSha256 } from "./growTrees.ts"
import { heldAt } from "./heldAt.ts"
import { makeReserveAddresses, type ReserveAddress } from "./reserveAddresses.ts"

/** What a snapshot is taken of. */
export interface SnapshotToTake {
  readonly environment: Environment
  readonly statements: ReadonlyArray<Statement>
  readonly takenBy: string
}

/** An address that could not be read, and so is in no snapshot. */
export interface UnreadAddress {
  readonly network: string
  readonly address: string
  readonly reason: string
}

/** An address with what it held. */
interface ReadReserve extends ReserveAddress {
  readonly reserve: Omit<Reserve, "proof" | "unproven">
}

const concurrency = 4
const secretBytes = 32

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** The currencies that anything of a snapshot is in, in the order of their codes. */
const currenciesOf = (
  table: CurrencyTable,
  trees: ReadonlyArray<GrownTree>,
  reserves: ReadonlyArray<ReadReserve>,
  statements: ReadonlyArray<Statement>
): SolvencyCommitment["currencies"] => {
  const codes = new Set([
    ...trees.map(({ currency }) => currency),
    ...reserves.flatMap(({ reserve }) => reserve.holdings.map(({ currency }) => currency)),
    ...statements.map(({ currency }) => currency)
  ])
  return [...codes].toSorted(byText).map((currency) => {
    const known = table.byCode(currency)
    if (known === undefined) throw new Error(`the ledger has ${currency}, which the configuration does not know`)
    return { currency, decimals: known.decimals }
  })
}

/** Takes snapshots of what all tenants are owed and of what is there. */
export const makeTakeSnapshot = Effect.fnUntraced(function* ({
  currencies,
  serviceName
}: {
  readonly currencies: CurrencyTable
  readonly serviceName: string
}) {
  const networks = yield* Networks
  const prover = yield* ReserveProver
  const queries = yield* Queries
  const store = yield* SolvencyStore
  const tenants = yield* Tenants
  const addressesOf = makeReserveAddresses(queries, store, networks)

  const readReserve = Effect.fnUntraced(function* (one: ReserveAddress) {
    const { address, network } = one
    const unread = (reason: string) => ({ _tag: "Unread", network, address, reason }) as const
    if (networks.get(network) === undefined) return unread("The network has no node.")
    const adapter = adapterOf(networks, network)
    return yield* heldAt(adapter, address, currencies.all).pipe(
      Effect.map(({ block, holdings }) => {
        const reserve = {
          network,
          chain_id: adapter.chainId,
          address,
          block_number: block.number,
          block_hash: block.hash,
          holdings: holdings
            .toSorted((left, right) => byText(left.currency, right.currency))
            .map(({ currency, units }) => ({ currency, units: String(units) }))
        }
        return { _tag: "Read", ...one, reserve } as const
      }),
      Effect.catchTag("ChainError", ({ message }) => Effect.succeed(unread(message)))
    )
  })

  /** The addresses of all tenants of an environment, with what they hold. */
  const readReserves = Effect.fnUntraced(function* (environment: Environment) {
    const all = yield* tenants.list
    const own = all.filter(({ id, kind }) => id !== fleetTenantId && kind === environment)
    const addresses = (yield* Effect.forEach(own, ({ id }) => addressesOf(id), { concurrency })).flat()
    const read = yield* Effect.forEach(addresses, readReserve, { concurrency })
    return {
      unread: read
        .filter((one) => one._tag === "Unread")
        .map(({ address, network, reason }): UnreadAddress => ({ network, address, reason })),
      reserves: read
        .filter((one) => one._tag === "Read")
        .filter(({ reserve }) => reserve.holdings.length > 0)
        .toSorted((one, other) => byText(one.network, other.network) || byText(one.address, other.address))
    }
  })

  /** Has the key of an address sign; where it does not, the snapshot says why. */
  const proven = ({ key, reserve }: ReadReserve, claim: ReserveClaim) =>
    prover.prove({ key, ...claim }).pipe(
      Effect.map((proof): Reserve => ({ ...reserve, proof, unproven: null })),
      Effect.catchTags({
        ProofRefused: ({ reason }) => Effect.succeed<Reserve>({ ...reserve, proof: null, unproven: reason }),
        VaultError: ({ message }) =>
          Effect.as(
            Effect.annotateLogs(Effect.logError("vault.failed"), { detail: message }),
            // what a custody says of itself is for the log
            { ...reserve, proof: null, unproven: "The key could not be used at that moment." } satisfies Reserve
          )
      })
    )

  const take = Effect.fn("solvency.takeSnapshot")(function* ({ environment, statements, takenBy }: SnapshotToTake) {
    const id = randomUUID()
    const secret = randomBytes(secretBytes)
    const takenAt = yield* Clock.currentTimeMillis
    const orderKey = hex(leafSecrets(secret, hmacSha256).orderKey(id))
    const trees = yield* growTrees(store.owed({ environment, orderKey }), {
      snapshotId: id,
      secret,
      keep: (part) => store.addNodes(id, part)
    })
    const { reserves, unread } = yield* readReserves(environment)
    const committed: SolvencyCommitment = {
      format: solvencyFormat,
      snapshot_id: id,
      service: serviceName,
      environment,
      taken_at: toIso(takenAt),
      currencies: currenciesOf(currencies, trees, reserves, statements),
      liabilities: trees.map(({ currency, depth, leaves, root, total }) => ({
        currency,
        leaves,
        depth,
        root: hex(root),
        total: String(total)
      }))
    }
    const document = yield* makeSnapshot(committed, {
      statements,
      reserves: (claimOf) => Effect.forEach(reserves, (one) => proven(one, claimOf(one)), { concurrency })
    })
    yield* store.add({ id, environment, takenAt, takenBy, document: canonicalJson(document) })
    return { id, document, unread }
  })

  return (what: SnapshotToTake): Effect.Effect<Effect.Success<ReturnType<typeof take>>, ApiError> =>
    orUnavailable(take(what))
})
