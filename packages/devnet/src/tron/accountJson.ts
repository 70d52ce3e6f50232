import { shown } from "./address.ts"
import type { Chain } from "./Chain.ts"
import { contracts } from "./contracts.ts"
import { usedBandwidth } from "./execute.ts"
import { inHex, type JsonObject } from "./json.ts"
import * as parameters from "./parameters.ts"
import { keys } from "./Store.ts"

/** Every kind of transaction but those that only witnesses make. */
const everyOperation = "7fff1fc0033efb0f000000000000000000000000000000000000000000000000"

/** An account as it was after the block at a height; empty where it was not active. Contracts are accounts from the start. */
export const accountJson = (chain: Chain, height: number, address: string, visible: boolean): JsonObject => {
  const balance = chain.read(keys.balance(address), height) ?? (contracts.has(address) ? 0n : undefined)
  if (balance === undefined) return {}
  const key = [{ address: shown(address, visible), weight: 1 }]
  return {
    ...(contracts.has(address) ? { type: "Contract" } : {}),
    address: shown(address, visible),
    ...(balance === 0n ? {} : { balance }),
    create_time: chain.read(keys.since(address), height) ?? 0n,
    net_window_size: 28_800_000,
    net_window_optimized: true,
    account_resource: { energy_window_size: 28_800_000, energy_window_optimized: true },
    owner_permission: { permission_name: visible ? "owner" : inHex("owner"), threshold: 1, keys: key },
    active_permission: [
      {
        type: "Active",
        id: 2,
        permission_name: visible ? "active" : inHex("active"),
        threshold: 1,
        operations: everyOperation,
        keys: key
      }
    ],
    frozenV2: [{}, { type: "ENERGY" }, { type: "TRON_POWER" }]
  }
}

/** What an account may use without paying; nobody here has staked. */
export const resourceJson = (chain: Chain, height: number, address: string): JsonObject => {
  const read = (key: string) => chain.read(key, height) ?? 0n
  if (chain.read(keys.balance(address), height) === undefined) return {}
  const used = usedBandwidth(read, address, BigInt(chain.head().time))
  return {
    ...(used === 0n ? {} : { freeNetUsed: used }),
    freeNetLimit: parameters.freeBandwidth,
    TotalNetLimit: 43_200_000_000,
    TotalNetWeight: 26_000_000_000,
    tronPowerLimit: 0,
    TotalEnergyLimit: 180_000_000_000,
    TotalEnergyWeight: 19_000_000_000
  }
}

const abiTypes = (list: string): ReadonlyArray<JsonObject> =>
  list === "" ? [] : list.split(",").map((type) => ({ type }))

/** A contract as the node writes it; empty where there is none. Its code is not the real one. */
export const contractJson = (address: string, visible: boolean): JsonObject => {
  const contract = contracts.get(address)
  if (contract === undefined) return {}
  return {
    origin_address: shown(address, visible),
    contract_address: shown(address, visible),
    abi: {
      entrys: contract.functions.map(({ outputs, signature, view }) => ({
        name: signature.slice(0, signature.indexOf("(")),
        type: "Function",
        stateMutability: view ? "View" : "Nonpayable",
        ...(view ? { constant: true } : {}),
        inputs: abiTypes(signature.slice(signature.indexOf("(") + 1, -1)),
        outputs: abiTypes(outputs)
      }))
    },
    bytecode: "fe",
    consume_user_resource_percent: 100,
    name: contract.name,
    origin_energy_limit: 10_000_000,
    code_hash: "bc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a"
  }
}
