import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { bindingConflict, type KnownNetwork, KnownNetworks } from "@bursar/core/port/KnownNetworks"
import { KnownCurrencies } from "@bursar/core/port/KnownCurrencies"
import { Clock, Effect } from "effect"
import { type NetworkSettings, settingOf } from "../config/NetworkSettings.ts"
import { SettingsInvalid } from "../config/SettingsInvalid.ts"
import { nodeOf, nodesOf } from "./adapters.ts"
import { bindingProblem } from "./bindingProblem.ts"
import { booksProblems, currenciesInUse, currencyProblems } from "./currencyProblems.ts"

/** What of the settings is told of networks. */
interface Configured {
  readonly currencies: CurrencyTable
  readonly networks: ReadonlyArray<NetworkSettings>
  /** Those that may be missing though the database knows them. */
  readonly networksOff: ReadonlyArray<Network>
}

/** How long a node is waited for at start. One that does not answer by then is asked again before anything is read of it. */
const startWaitMs = 5_000

/** Nodes that are asked at the same time. */
const nodesAtOnce = 8

/** What a node says of its chain. */
type Said =
  | { readonly _tag: "Right" }
  | { readonly _tag: "Wrong"; readonly mistake: string }
  | { readonly _tag: "Silent"; readonly detail: string }

const placeOf = (index: number, count: number): string => (count === 1 ? "" : ` (node ${index + 1} of ${count})`)

/** What the nodes of a network say of their chains. */
const askNodes = Effect.fnUntraced(function* (currencies: CurrencyTable, settings: NetworkSettings) {
  const nodes = nodesOf(settings)
  return yield* Effect.forEach(
    nodes,
    (node, index): Effect.Effect<Said> =>
      nodeOf(currencies, node).adapter.verifyChain.pipe(
        Effect.as<Said>({ _tag: "Right" }),
        Effect.catch(({ message, reason }) =>
          Effect.succeed<Said>(
            reason === "other_chain"
              ? { _tag: "Wrong", mistake: `${settingOf(settings)}: ${message}${placeOf(index, nodes.length)}` }
              : { _tag: "Silent", detail: message }
          )
        ),
        Effect.timeoutOrElse({
          duration: startWaitMs,
          orElse: () => Effect.succeed<Said>({ _tag: "Silent", detail: `no answer in ${startWaitMs / 1_000} seconds` })
        })
      ),
    { concurrency: nodesAtOnce }
  )
})

/** What of the configuration contradicts what the database knows. */
const contradictions = (
  { currencies, networks, networksOff }: Configured,
  known: ReadonlyArray<KnownNetwork>
): ReadonlyArray<string> => {
  const named = new Set([...networks.map(({ network }) => network), ...networksOff])
  const forgotten = known.filter(({ name }) => !named.has(name))
  const moved = networks.flatMap((settings) => {
    const { chainId, traits } = nodeOf(currencies, settings).adapter
    const conflict = bindingConflict(known, traits.name, { family: traits.family, id: chainId })
    return conflict === undefined ? [] : [`${settingOf(settings)}: ${bindingProblem(traits.name, chainId, conflict)}`]
  })
  const missing = forgotten.map(({ name }) =>
    currencies.networks.has(name)
      ? `${name} has no node, and the database knows it: set the URL of its node, or leave it out with NETWORKS_OFF=${name}`
      : `NETWORKS: ${name} is missing, and the database knows it`
  )
  return [...missing, ...moved]
}

/**
 * Compares the networks and currencies of the configuration with the database and with their nodes, and remembers them: each network
 * bound to its chain where a node has confirmed it, each currency to its asset, its decimals and its environment.
 *
 * **Details**
 *
 * Fails with all mistakes at once, and remembers nothing then: a name that the database has bound to another chain, a node that says that
 * it is of another chain, and a network that the database knows and the configuration does not. What stands on that one could be
 * neither shown nor sent: put it back into NETWORKS; without nodes of it, name one that does not answer. One of the contract may be left
 * out by a word of the operator: a mistake in the name of a variable would leave its deposits unseen. So it is with a currency that is
 * missing, or is another one than before: amounts of it would be worth something else. A database that knows no currency yet is asked which
 * ones its books have. A node that does not answer is no
 * mistake: readers and senders ask it again before they believe anything of it, and bind the name then.
 */
export const bindNetworks = Effect.fn("assemble.bindNetworks")(function* (configured: Configured) {
  const { currencies, networks } = configured
  const known = yield* KnownNetworks
  const knownCurrencies = yield* KnownCurrencies
  const on = new Set(networks.map(({ network }) => network))
  const said = yield* Effect.forEach(
    networks,
    (settings) => Effect.map(askNodes(currencies, settings), (nodes) => ({ settings, nodes })),
    { concurrency: "unbounded" }
  )
  const wrong = said.flatMap(({ nodes }) => nodes.flatMap((one) => (one._tag === "Wrong" ? [one.mistake] : [])))
  const bound = yield* knownCurrencies.all
  const mistakes = [
    ...contradictions(configured, yield* known.all),
    ...currencyProblems(bound, currencies, on),
    ...(bound.length === 0 ? booksProblems(yield* knownCurrencies.inBooks, currencies) : []),
    ...wrong
  ]
  if (mistakes.length > 0) return yield* new SettingsInvalid({ mistakes })
  const now = yield* Clock.currentTimeMillis
  for (const { nodes, settings } of said) {
    const { chainId, traits } = nodeOf(currencies, settings).adapter
    const { family, name: network } = traits
    if (nodes.some(({ _tag }) => _tag === "Right")) {
      const conflict = yield* known.bind(network, { family, id: chainId }, now)
      if (conflict !== undefined)
        return yield* new SettingsInvalid({
          mistakes: [`${settingOf(settings)}: ${bindingProblem(network, chainId, conflict)}`]
        })
    } else {
      const details = nodes.flatMap((one) => (one._tag === "Silent" ? [one.detail] : []))
      yield* Effect.annotateLogs(Effect.logWarning("network.not_confirmed"), { network, detail: details.join("; ") })
    }
  }
  // last, because nobody can take it back; another process may have bound a code otherwise at this very moment
  const conflicts = yield* knownCurrencies.bind(currenciesInUse(currencies, on), now)
  if (conflicts.length > 0) return yield* new SettingsInvalid({ mistakes: currencyProblems(conflicts, currencies, on) })
  yield* known.note(
    networks.map(({ network }) => network),
    now
  )
})
