#!/usr/bin/env node
import { runProgram } from "@bursar/cli/runProgram"
import { devCommand } from "./devCommand.ts"

runProgram(devCommand)
