// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Stands in for Base's predeploy at 0x420000000000000000000000000000000000000F with fees that are easy to predict.
contract GasPriceOracle {
    /// Wei for each byte of a transaction that is posted to Ethereum.
    uint256 internal constant L1_FEE_PER_BYTE = 100_000_000;

    function getL1Fee(bytes calldata data) external pure returns (uint256) {
        return (data.length + 68) * L1_FEE_PER_BYTE;
    }

    function getL1FeeUpperBound(uint256 size) external pure returns (uint256) {
        return (size + 68) * L1_FEE_PER_BYTE;
    }

    function getL1GasUsed(bytes calldata data) external pure returns (uint256) {
        return (data.length + 68) * 16;
    }

    function getOperatorFee(uint256 gasUsed) external pure returns (uint256) {
        return gasUsed * 10;
    }

    function l1BaseFee() external pure returns (uint256) {
        return 1_000_000_000;
    }

    function blobBaseFee() external pure returns (uint256) {
        return 1;
    }

    function baseFeeScalar() external pure returns (uint32) {
        return 2269;
    }

    function blobBaseFeeScalar() external pure returns (uint32) {
        return 1055762;
    }

    function gasPrice() external view returns (uint256) {
        return block.basefee;
    }

    function baseFee() external view returns (uint256) {
        return block.basefee;
    }

    function decimals() external pure returns (uint256) {
        return 6;
    }

    function isEcotone() external pure returns (bool) {
        return true;
    }

    function isFjord() external pure returns (bool) {
        return true;
    }

    function isIsthmus() external pure returns (bool) {
        return true;
    }

    function isJovian() external pure returns (bool) {
        return false;
    }

    function version() external pure returns (string memory) {
        return "1.4.0";
    }
}
