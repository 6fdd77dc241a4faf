// Package simtest helps to test code that uses a simulated CUDA machine: what it
// does when any one of its calls fails, and what it does under many different
// timings.
package simtest
