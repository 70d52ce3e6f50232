import { backup } from "./blockProduction.ts"

/** What the configuration of a private java-tron is made of. Addresses are base58. */
export interface JavaTronConfig {
  readonly httpPort: number
  readonly solidityPort: number
  readonly peerPort: number
  readonly backupPort: number
  readonly maintenanceMs: number
  readonly rich: string
  readonly producers: ReadonlyArray<{ readonly address: string; readonly key: string }>
}

/** Sun of the account that pays for everything. */
const richSun = 95_000_000_000_000_000n

/** What the main network has voted for and a configuration can set. The prices are voted for. */
const rules = [
  ...["allowCreationOfContracts", "allowMultiSign", "allowDelegateResource", "allowSameTokenName"],
  ...["allowTvmTransferTrc10", "allowTvmConstantinople", "allowTvmSolidity059", "forbidTransferToContract"],
  ...["allowMarketTransaction", "allowBlackHoleOptimization", "allowNewResourceModel", "allowTvmIstanbul"],
  ...["changedDelegation", "allowTvmFreeze", "allowTvmVote", "allowTvmLondon", "allowTvmCompatibleEvm"],
  ...["allowHigherLimitForMaxCpuTimeOfOneTx", "allowNewRewardAlgorithm", "allowNewReward"],
  ...["allowAccountAssetOptimization", "allowAssetOptimization", "allowDelegateOptimization"],
  ...["allowOptimizedReturnValueOfChainId", "allowTvmShangHai", "allowCancelAllUnfreezeV2", "allowEnergyAdjustment"],
  ...["allowTvmCancun", "allowStrictMath", "consensusLogicOptimization"]
]

/**
 * A node of a private network that has all producers in itself and no peers, in the form of java-tron's `config.conf`. What contracts
 * send is listed. A slow machine must not end a contract's run, so its time is not limited.
 */
export const javaTronConfig = (config: JavaTronConfig): string => {
  const { producers, rich } = config
  const asset = (name: string, address: string, balance: string) =>
    `{ accountName = "${name}", accountType = "AssetIssue", address = "${address}", balance = "${balance}" }`
  return `
net { type = mainnet }
storage {
  db.version = 2, db.engine = "LEVELDB", db.sync = false, db.directory = "database", index.directory = "index"
  transHistory.switch = "on", properties = [], checkpoint.version = 2, checkpoint.sync = false
}
node.discovery = { enable = false, persist = false, external.ip = "127.0.0.1" }
node.backup {
  port = ${config.backupPort}, priority = ${backup.priority}, keepAliveInterval = ${backup.keepAliveMs}
  members = ["${backup.member}"]
}
node {
  walletExtensionApi = true, listen.port = ${config.peerPort}, connection.timeout = 2, minParticipationRate = 0
  fullNodeAllowShieldedTransaction = false, p2p { version = 333 }, active = [], passive = []
  http {
    fullNodeEnable = true, fullNodePort = ${config.httpPort}
    solidityEnable = true, solidityPort = ${config.solidityPort}, PBFTEnable = false
  }
  rpc { enable = false, solidityEnable = false, PBFTEnable = false, minEffectiveConnection = 0 }
  jsonrpc { httpFullNodeEnable = false, httpSolidityEnable = false }
  dns { treeUrls = [], publish = false }
}
seed.node = { ip.list = [] }
genesis.block = {
  assets = [
    ${asset("Zion", rich, String(richSun))}
    ${asset("Sun", producers[0]?.address ?? rich, "1000000000000000")}
    ${asset("Blackhole", "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy", "-9223372036854775808")}
  ]
  witnesses = [
    ${producers.map(({ address }, index) => `{ address: ${address}, url = "http://producer${index}", voteCount = ${1_000 - index} }`).join("\n    ")}
  ]
  timestamp = "0", parentHash = "0x${"0".repeat(64)}"
}
localwitness = [${producers.map(({ key }) => `"${key}"`).join(", ")}]
block = {
  needSyncCheck = false
  maintenanceTimeInterval = ${config.maintenanceMs}, proposalExpireTime = ${config.maintenanceMs}
}
vm = {
  supportConstant = true, maxEnergyLimitForConstant = 100000000, minTimeRatio = 0.0, maxTimeRatio = 100.0
  saveInternalTx = true, saveFeaturedInternalTx = true, estimateEnergy = true
}
committee = {
  ${rules.map((rule) => `${rule} = 1`).join(", ")}, unfreezeDelayDays = 14
}
enery.limit.block.num = 0
`
}
