import { makeCurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { inEnvironments } from "@bursar/core/money/Network"
import { presetNetworks } from "@bursar/core/money/presetNetworks"

/** The currencies of a local service: none of its networks is real. */
export const localCurrencies = makeCurrencyTable(
  defaultCurrencies.all,
  inEnvironments(presetNetworks, new Map(presetNetworks.all.map(({ name }) => [name, "SANDBOX"])))
)
