import { shown } from "./address.ts"
import { contracts } from "./contracts.ts"
import { usedBandwidth } from "./execute.ts"
import { inHex, type JsonObject } from "./json.ts"
import * as parameters from "./parameters.ts"
import { keys } from "./Store.ts"

/** Every kind of transaction but those that only witnesses make. */
const everyOperation = "7fff1fc0033efb0f000000000000000000000000000000000000000000000000"

/** Entries of the state of the chain; undefined where there is none. */
export type Read = (key: string) => bigint | undefined

/** An account by some state; empty where it was not active. Contracts are accounts from the start. */
export const accountJson = (read: Read, address: string, visible: boolean): JsonObject => {
  const balance = read(keys.balance(address)) ?? (contracts.has(address) ? 0n : undefined)
  if (balance === undefined) return {}
  const key = [{ address: shown(address, visible), weight: 1 }]
  const contract = contracts.get(address)
  // Names of permissions stand in the answers as they are, whatever `visible` says.
  const owned = {
    create_time: read(keys.since(address)) ?? 0n,
    owner_permission: { permission_name: "owner", threshold: 1, keys: key },
    active_permission: [
      { type: "Active", id: 2, permission_name: "active", threshold: 1, operations: everyOperation, keys: key }
    ]
  }
  return {
    ...(contract === undefined
      ? owned
      : { type: "Contract", account_name: visible ? contract.name : inHex(contract.name) }),
    address: shown(address, visible),
    ...(balance === 0n ? {} : { balance }),
    net_window_size: 28_800_000,
    net_window_optimized: true,
    account_resource: { energy_window_size: 28_800_000, energy_window_optimized: true },
    frozenV2: [{}, { type: "ENERGY" }, { type: "TRON_POWER" }]
  }
}

/** What an account may use without paying; nobody here has staked. */
export const resourceJson = (read: Read, now: number, address: string): JsonObject => {
  if (read(keys.balance(address)) === undefined) return {}
  const used = usedBandwidth((key) => read(key) ?? 0n, address, BigInt(now))
  return {
    ...(used === 0n ? {} : { freeNetUsed: used }),
    freeNetLimit: parameters.freeBandwidth,
    TotalNetLimit: 43_200_000_000,
    TotalEnergyLimit: 180_000_000_000
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
    version: 1,
    origin_energy_limit: 10_000_000,
    code_hash: "bc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a"
  }
}
