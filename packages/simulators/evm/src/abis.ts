import { parseAbi } from "viem"

/**
 * What all test tokens have in common. `transfer` has no return value here, which suits those that return one as well.
 */
export const tokenAbi = parseAbi([
  "function transfer(address to, uint256 value)",
  "function transferFrom(address from, address to, uint256 value)",
  "function approve(address spender, uint256 value)",
  "function balanceOf(address account) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function decimals() view returns (uint8)",
  "function symbol() view returns (string)",
  "function name() view returns (string)",
  "function mint(address to, uint256 value)",
  "function paused() view returns (bool)",
  "function setPaused(bool value)",
  "function isBlocked(address account) view returns (bool)",
  "function setBlocked(address account, bool value)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "event Approval(address indexed owner, address indexed spender, uint256 value)"
])

/** contracts/Splitter.sol, `Splitter`. */
export const splitterAbi = parseAbi([
  "function split(address[] to, uint256[] values) payable",
  "function splitWithRevert(address refused, address paid, uint256 value) payable",
  "function splitThenFail(address to) payable",
  "function delegate(address target) payable",
  "function callCode(address target) payable",
  "function splitByDelegate(address[] to, uint256[] values) payable"
])

/** contracts/Splitter.sol, `Destroyer`. */
export const destroyerAbi = parseAbi(["function destroy(address to) payable"])

/** contracts/GasPriceOracle.sol, in part. */
export const gasPriceOracleAbi = parseAbi([
  "function getL1Fee(bytes data) view returns (uint256)",
  "function getL1FeeUpperBound(uint256 size) view returns (uint256)",
  "function getOperatorFee(uint256 gasUsed) view returns (uint256)",
  "function l1BaseFee() view returns (uint256)"
])
