// What the types do not see. Names that nobody declared are the type checker's.

import js from "@eslint/js";

export default [
  js.configs.recommended,
  {
    files: ["**/*.js"],
    linterOptions: { reportUnusedDisableDirectives: "error" },
    languageOptions: { ecmaVersion: 2023, sourceType: "module" },
    rules: {
      "no-undef": "off",
      "no-unused-vars": ["error", { args: "after-used", argsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
      "object-shorthand": "error",
      eqeqeq: "error",
      "no-shadow": ["error", { builtinGlobals: false }],
      "no-implicit-globals": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-promise-executor-return": "off",
      "no-self-compare": "error",
      "no-template-curly-in-string": "error",
      "no-useless-rename": "error",
      "no-duplicate-imports": "error",
      "max-len": ["error", { code: 120 }],
      "max-lines": ["error", { max: 250 }],
    },
  },
];
