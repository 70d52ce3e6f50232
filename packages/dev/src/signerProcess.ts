/**
 * `bursar sign` in a process that is started before anybody knows its settings: it loads meanwhile, which takes longest. Its one argument
 * is the path of a socket, on which it is told its arguments and variables, once; of whoever tells it nothing it wants nothing.
 */
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import type { ToldSigner } from "./loadSigner.ts"

const [path = ""] = process.argv.splice(2)
const told = text(connect(path)).catch(() => "")
const [{ signCommand }, { runProgram }] = await Promise.all([
  import("@bursar/cli/commands/sign"),
  import("@bursar/cli/runProgram"),
  // what the command loads once it runs
  import("@bursar/cli/assemble/masterKeyFile"),
  import("@bursar/cli/assemble/sign")
])
const message = await told
if (message === "") process.exit(0)
const { args, env }: ToldSigner = JSON.parse(message)
process.argv.push(...args)
Object.assign(process.env, env)
runProgram(signCommand)
