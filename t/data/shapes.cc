/* SPDX-License-Identifier: MIT */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
struct Guard { int &n; Guard(int &n):n(n){n++;} ~Guard(){ n--; } };
static unsigned seed=99; static unsigned rnd(unsigned n){ seed=seed*1103515245u+12345u; return (seed>>16)%n; }
__attribute__((noinline)) int thrower(int n){ if(n%5==0) throw n; if(n%7==0) throw std::runtime_error("seven"); if (n%11==0) throw 'c'; return n; }
__attribute__((noinline)) int catches(int n){ int depth=0; int r=0; try { Guard g(depth); r+=thrower(n); std::string s(n%20,'x'); r+=thrower(n+1)+s.size(); for(int i=0;i<n%3;i++){ Guard h(depth); r+=thrower(n+i);} } catch(int x){ r-=x; if(x%2) r++; } catch(const std::exception &e){ r+=e.what()[0]; } return r+depth; }
__attribute__((noinline)) int passes(int n){ Guard g(n); std::vector<int> v; for(int i=0;i<n%4;i++) v.push_back(thrower(i+n)); if(v.empty()) return 0; return v.back(); }
__attribute__((noinline)) int rethrows(int n){ try { return passes(n); } catch(int x){ if(x>50) throw; return -x; } catch(...) { try { return thrower(n-1); } catch(...) { return 1; } } }
template<class T> struct Box { T v; T get(int k) const { return k? v: T(); } };
int main(){ int t=0; for(int i=0;i<500;i++){ try { t+=catches(rnd(100)); } catch(char c){ t+=c; } try { t+=rethrows(rnd(100)); } catch(...) { t+=3; } Box<int> b{i}; t+=b.get(i%2); } printf("%d\n",t); }
