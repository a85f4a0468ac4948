// The stock preset, as a new app has it.
module.exports = { presets: ['module:@react-native/babel-preset'] }
