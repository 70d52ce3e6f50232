import { relative } from "node:path"
import type { Handshake, HandshakeNetworks } from "@bursar/cli/config/Handshake"

const urlOf = (where: HandshakeNetworks[keyof HandshakeNetworks]): string => {
  if ("url" in where) return where.url
  return "horizon_url" in where ? where.horizon_url : where.rpc_url
}

/** A path as it is typed from here. */
const here = (path: string): string => {
  const inside = relative(process.cwd(), path)
  return inside.startsWith("..") ? path : inside
}

/** Who approves what raises a risk, and how a person tries it. */
const approving = ({ grants, tenants }: Handshake): string => {
  const [demo] = tenants
  if (grants === null || demo === undefined) return ""
  const [first, ...others] = grants.approvers.map(({ key_file: file }) => here(file))
  return `
What raises a risk is proposed, and holds once the two demo approvers have signed it. Try it: this prints the commands to approve it.

  npm run --silent bursar -- tenant set ${demo.slug} --payout-review 200000

  their keys      ${[first, ...others].join("   ")}
  passphrase      ${here(grants.passphrase_file)}
`
}

/** What a person sees when everything runs: where things are, and a first request to paste. */
export const banner = (handshake: Handshake, handshakePath: string, signInLink: string): string => {
  const [demo] = handshake.tenants
  const { ethereum } = handshake.networks
  const address = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
  return `
Bursar is running.

  partner API     ${handshake.partner_url}   documentation: ${handshake.partner_url}/docs
  operator API    ${handshake.operator_url}   console: ${handshake.operator_url}/   documentation: ${handshake.operator_url}/docs
  database        ${handshake.database_url.replace(/:[^:@/]*@/u, ":…@")}
${Object.entries(handshake.networks)
  .map(([name, where]) => `  ${name.padEnd(16)}${urlOf(where)}`)
  .join("\n")}
  sandbox         ${handshake.sandbox.control_url}
  keys and all    ${handshakePath}

Open the console; this link signs you in once, within five minutes (another: npm run --silent bursar -- console link):

  ${signInLink}

A first deposit, to paste into another terminal:

  KEY=${demo?.keys["all"] ?? ""}
  curl -s ${handshake.partner_url}/v1/deposit-addresses -H "Authorization: Bearer $KEY" \\
    -H "Idempotency-Key: first" -H "Content-Type: application/json" \\
    -d '{"addresses":[{"network":"ethereum","address":"${address}","reference":"alice"}]}'
  curl -s ${ethereum.control_url}/fund -H "Content-Type: application/json" \\
    -d '{"address":"${address}","asset":"USDT_ETH","amount":"25"}'
  curl -s ${handshake.partner_url}/v1/deposits -H "Authorization: Bearer $KEY"
  curl -s ${handshake.partner_url}/v1/float -H "Authorization: Bearer $KEY"
${approving(handshake)}
Ctrl-C stops it; the next start goes on with what is here, \`npm start -- --fresh\` begins anew.
`
}
