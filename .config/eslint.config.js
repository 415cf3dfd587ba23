import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['src/launch.js'] },
  ...tseslint.configs.strictTypeChecked,
  { files: ['src/ui/**/*.{ts,tsx}'], ...reactHooks.configs.flat.recommended },
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: `${import.meta.dirname}/..` },
    },
    rules: {
      // Numbers and booleans in templates are read as they are meant; objects are not.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // `_` marks a parameter that a signature needs and a body does not.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Route tables and listeners are typed as returning promises whether or not one of them waits.
      '@typescript-eslint/require-await': 'off',
      // The first is deprecated to stand out: it is for a provider on this machine only. The second alone lets a browser
      // undo what a program typed.
      '@typescript-eslint/no-deprecated': [
        'error',
        {
          allow: [
            { from: 'package', package: 'openid-client', name: 'allowInsecureRequests' },
            { from: 'lib', name: 'execCommand' },
          ],
        },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
);
